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
  if (request.url === '/token') response.end(token);
  else response.writeHead(request.url === '/ready' && !ready ? 503 : 200).end(POD_NAME);
});
server.listen(Number(KYVERNO_WEBHOOK_PORT_OVERRIDE), '127.0.0.1', () => console.log(`${POD_NAME} listens`, ...process.argv.slice(2)));
process.on('SIGTERM', () => {
  console.log('leaving');
  setTimeout(() => process.exit(0), 200);
});
let beat = 0;
setInterval(() => console.log(`beat ${++beat}`), 100);
