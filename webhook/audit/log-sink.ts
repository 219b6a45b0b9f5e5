import type {Logger} from '../../adapters/log/logger.js';
import type {AuditSink} from '../types.js';

/** Where no cluster takes Events or reports: one line per record, from verbosity 4 on. Verdicts have lines of their own. */
export function logSink(log: Logger): AuditSink {
  return {
    takes: () => log.enabled(4),
    submit({request, allowed, results}) {
      const {kind, namespace, name, operation, uid} = request;
      log.v(4, `${operation} ${kind.kind} ${namespace}/${name} ${allowed ? 'allowed' : 'denied'}`, {
        uid,
        policies: results.map(result => result.policy.key).join(','),
      });
    },
  };
}
