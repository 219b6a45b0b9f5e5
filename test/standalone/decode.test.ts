import {readFileSync} from 'node:fs';
import {request as httpsRequest} from 'node:https';
import {connect} from 'node:tls';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {admissionRequest} from '../guide/request.js';
import {sample, type Served, startServe} from './support/serve-process.js';

let server: Served;
let ca: string;

beforeAll(async () => {
  server = await startServe({policies: sample('policies')});
  ca = readFileSync(server.caFile, 'utf8');
});

afterAll(async () => {
  await server?.stop();
});

interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

function post(path: string, body: string, contentType: string | undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = contentType === undefined ? {} : {'Content-Type': contentType};
    const call = httpsRequest(`${server.url}${path}`, {method: 'POST', ca, agent: false, headers}, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({status: response.statusCode ?? 0, type: response.headers['content-type'], text}),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'web', namespace: 'shop', labels: {app: 'web'}},
  spec: {containers: []},
};
const review = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: admissionRequest({operation: 'CREATE', object: pod}),
};
const good = JSON.stringify(review);
const json = 'application/json';
const paths = ['/validate/fail', '/mutate/fail', '/policyvalidate', '/verifymutate'];

describe.each(paths)('%s', path => {
  it.each([
    ['another media type', good, 'text/plain', 415, 'invalid Content-Type'],
    ['a media type with a charset', good, `${json}; charset=utf-8`, 415, 'invalid Content-Type'],
    ['no media type', good, undefined, 415, 'invalid Content-Type'],
    ['an empty body', '', json, 417, 'unexpected end of JSON input'],
    ['half a body', good.slice(0, good.length / 2), json, 417, ''],
    ['what is no JSON', 'kind: AdmissionReview', json, 417, ''],
    ['a list', '[]', json, 417, 'json: cannot unmarshal array into field AdmissionReview'],
    [
      'a request that is a text',
      '{"request":"x"}',
      json,
      417,
      'json: cannot unmarshal string into field AdmissionReview.request',
    ],
    ['no request', '{"kind":"AdmissionReview"}', json, 400, 'AdmissionReview request is nil'],
    ['a request that is null', '{"request":null}', json, 400, 'AdmissionReview request is nil'],
  ])('answers %s in plain text', async (_name, body, contentType, status, text) => {
    const reply = await post(path, body, contentType);
    expect([reply.status, reply.type]).toEqual([status, 'text/plain; charset=utf-8']);
    expect(reply.text).not.toBe('');
    if (text !== '') expect(reply.text).toBe(text);
  });

  it('judges a good review afterwards', async () => {
    const reply = await post(path, good, json);
    expect([reply.status, reply.type]).toEqual([200, 'application/json; charset=utf-8']);
  });
});

it('a connection that ends in the middle of a body harms no other request', async () => {
  const {hostname, port} = new URL(server.url);
  await new Promise<void>(resolve => {
    const socket = connect({host: hostname, port: Number(port), ca, servername: 'localhost'}, () => {
      const head = `POST /validate/fail HTTP/1.1\r\nHost: x\r\nContent-Type: ${json}\r\nContent-Length: 1000\r\n\r\n{"req`;
      socket.write(head, () => socket.destroy());
    });
    socket.once('close', () => resolve());
  });
  expect((await post('/validate/fail', good, json)).status).toBe(200);
  expect(server.process.exitCode).toBeNull();
});
