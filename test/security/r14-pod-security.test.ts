import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {engineOf, judge, policyOf} from '../../engine/testing/engines.js';
import {requestOf} from '../../engine/testing/requests.js';

/** A Pod says the forbidden thing where the check does not look. */
const strict: JsonObject = {allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: {drop: ['ALL']}, seccompProfile: {type: 'RuntimeDefault'}};
const container = (securityContext: JsonObject = strict, more: JsonObject = {}): JsonObject => ({name: 'c', image: 'i', securityContext, ...more});
const pod = (spec: JsonObject, annotations: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'p', namespace: 'default', annotations},
  spec: {containers: [container()], ...spec},
});

const tricks: ReadonlyArray<readonly [string, JsonObject]> = [
  ['an init container', pod({initContainers: [container({...strict, privileged: true})]})],
  ['an ephemeral container', pod({ephemeralContainers: [container({...strict, privileged: true})]})],
  ['the second container', pod({containers: [container(), {...container({...strict, allowPrivilegeEscalation: true}), name: 'd'}]})],
  ['seccomp set for the Pod and undone in a container', pod({securityContext: {seccompProfile: {type: 'RuntimeDefault'}}, containers: [container({...strict, seccompProfile: {type: 'Unconfined'}})]})],
  ['seccomp left out everywhere', pod({containers: [container({allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: {drop: ['ALL']}})]})],
  ['root by number though not by name', pod({containers: [container({...strict, runAsUser: 0})]})],
  ['root by number of the Pod', pod({securityContext: {runAsUser: 0}})],
  ['a capability under another case', pod({containers: [container({...strict, capabilities: {drop: ['all']}})]})],
  ['a capability added beside dropping all', pod({containers: [container({...strict, capabilities: {drop: ['ALL'], add: ['SYS_ADMIN']}})]})],
  ['AppArmor switched off by annotation', pod({}, {'container.apparmor.security.beta.kubernetes.io/c': 'unconfined'})],
  ['AppArmor switched off by field', pod({securityContext: {appArmorProfile: {type: 'Unconfined'}}})],
  ['a host port', pod({containers: [container(strict, {ports: [{containerPort: 80, hostPort: 80}]})]})],
  ['a host path', pod({volumes: [{name: 'v', hostPath: {path: '/'}}]})],
  ['a sysctl', pod({securityContext: {sysctls: [{name: 'kernel.msgmax', value: '1'}]}})],
  ['an unmasked /proc', pod({containers: [container({...strict, procMount: 'Unmasked'})]})],
  ['SELinux options', pod({securityContext: {seLinuxOptions: {user: 'system_u'}}})],
  ['a host process of Windows', pod({securityContext: {windowsOptions: {hostProcess: true}}})],
  ['a probe of another host', pod({containers: [container(strict, {livenessProbe: {httpGet: {port: 80, host: '10.0.0.1'}}})]})],
];

async function status(level: string, object: JsonObject): Promise<string | undefined> {
  const rule = `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {podSecurity: {level: ${level}, version: latest}}}]`;
  const [result] = await judge(engineOf([policyOf('pods', rule)]).engine, requestOf({object}));
  return result?.status;
}

describe('Pod Security restricted', () => {
  it.each(tricks)('finds %s', async (_name, object) => {
    expect(await status('restricted', object)).toBe('fail');
  });

  it('lets a Pod without tricks pass', async () => {
    expect(await status('restricted', pod({}))).toBe('pass');
  });

  it.each(tricks)('would not at the level that allows everything: %s', async (_name, object) => {
    expect(await status('privileged', object)).toBe('pass');
  });
});
