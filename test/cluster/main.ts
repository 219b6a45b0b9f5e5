import {parseArgs} from 'node:util';
import {startCluster} from './cluster.js';
import {installCrds, installOperator, missingForOperator} from './install-operator.js';

const {values} = parseArgs({
  options: {
    bare: {type: 'boolean', default: false},
    minor: {type: 'string'},
    replicas: {type: 'string'},
    'audit-log': {type: 'boolean', default: false},
  },
});

/** Leaves a control plane running until Ctrl-C, with the operator in it unless `--bare`. */
async function main(): Promise<void> {
  const stopped = new Promise<void>(resolve => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  const {minor} = values;
  const cluster = await startCluster({...(minor === undefined ? {} : {minor}), auditLog: values['audit-log']});
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`Kubernetes ${cluster.version} at ${cluster.server}`);
  say(`logs: ${cluster.dir}`);
  try {
    if (!values.bare) {
      await installCrds(cluster);
      const missing = missingForOperator();
      if (missing !== undefined) say(`the operator is not started: ${missing}`);
      else {
        const {agent} = await installOperator(
          cluster,
          values.replicas === undefined ? {} : {replicas: Number(values.replicas)},
        );
        for (const {name, pid, logFile} of agent.replicas()) say(`${name}: process ${pid}, ${logFile}`);
      }
    }
    say(`\nexport KUBECONFIG=${cluster.kubeconfig}\nalias kubectl=${cluster.programs.kubectl}\n\nCtrl-C ends it all.`);
    await stopped;
  } finally {
    await cluster.stop();
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
