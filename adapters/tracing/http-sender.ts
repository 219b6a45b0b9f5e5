import {Agent as HttpAgent, request as httpRequest} from 'node:http';
import {Agent as HttpsAgent, request as httpsRequest} from 'node:https';
import {SendError, type TraceSender} from './trace-sender.js';

const transient = new Set([429, 502, 503, 504]);

/** OTLP over HTTP with protobuf bodies. */
export function createHttpSender(url: URL, ca: string | undefined): TraceSender {
  const secure = url.protocol === 'https:';
  const agent = secure ? new HttpsAgent({keepAlive: true, maxSockets: 1, ...(ca !== undefined && {ca})}) : new HttpAgent({keepAlive: true, maxSockets: 1});
  return {
    send: (body, signal) =>
      new Promise((resolve, reject) => {
        const call = (secure ? httpsRequest : httpRequest)(
          url,
          {method: 'POST', agent, signal, headers: {'content-type': 'application/x-protobuf', 'content-length': body.length, 'user-agent': 'kyverno'}},
          response => {
            response.resume();
            response.on('error', reject);
            response.on('end', () => {
              const status = response.statusCode ?? 0;
              if (status >= 200 && status < 300) resolve();
              else reject(new SendError(`the collector answered ${status}`, transient.has(status)));
            });
          },
        );
        call.on('error', reject);
        call.end(body);
      }),
    close: () => agent.destroy(),
  };
}
