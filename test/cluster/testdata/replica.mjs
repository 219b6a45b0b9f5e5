// A replica for the cluster's own test: HTTPS on the port it is told, ready unless asked otherwise, slow to leave.
import {readFileSync} from 'node:fs';
import {createServer} from 'node:https';
import {join} from 'node:path';

const {CERTIFICATE, KEY, POD_NAME, KYVERNO_WEBHOOK_PORT_OVERRIDE, KYVERNO_SERVICEACCOUNT_DIR} = process.env;
const token = readFileSync(join(KYVERNO_SERVICEACCOUNT_DIR, 'token'), 'utf8');
let ready = true;
const server = createServer({cert: readFileSync(CERTIFICATE), key: readFileSync(KEY)}, (request, response) => {
  if (request.url === '/unready') ready = false;
  if (request.url === '/crash') process.exit(3);
  if (request.method === 'POST') return refuse(request, response);
  if (request.url === '/token') response.end(token);
  else response.writeHead(request.url === '/ready' && !ready ? 503 : 200).end(POD_NAME);
});

/** Answers an AdmissionReview with a refusal that names this replica. */
async function refuse(request, response) {
  let text = '';
  for await (const chunk of request) text += chunk;
  const {uid} = JSON.parse(text).request;
  const answer = {uid, allowed: false, status: {message: `refused by ${POD_NAME}`}};
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer}));
}

server.listen(Number(KYVERNO_WEBHOOK_PORT_OVERRIDE), '127.0.0.1', () => console.log(`${POD_NAME} listens`, ...process.argv.slice(2)));
process.on('SIGTERM', () => {
  console.log('leaving');
  setTimeout(() => process.exit(0), 200);
});
let beat = 0;
setInterval(() => console.log(`beat ${++beat}`), 100);
