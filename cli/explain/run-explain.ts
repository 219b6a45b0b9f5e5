import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {Operation} from '../../engine/types.js';
import {parseSet} from '../apply/flags.js';
import {createWorld} from '../apply/offline-world.js';
import {FileError} from '../files/file-error.js';
import {loadExceptionFiles, noExceptions} from '../files/load-exceptions.js';
import {loadPolicyPath} from '../files/load-policies.js';
import {loadResourcePaths} from '../files/load-resources.js';
import {loadUserInfoFile} from '../files/user-info-file.js';
import {loadValuesFile} from '../files/values-file.js';
import {withKindsOf} from '../offline/known-kinds.js';
import {preparePolicy} from '../offline/prepare-policies.js';
import {keyOf} from '../offline/responses.js';
import {coloursFor} from '../output/colours.js';
import {prettyJson} from '../output/json-text.js';
import type {Streams} from '../output/streams.js';
import {explainOne} from './explain-one.js';
import {explanationText} from './explanation-text.js';
import type {Explained} from './types.js';

export interface ExplainFlags {
  readonly rule?: string;
  readonly json?: boolean;
  readonly operation?: string;
  readonly oldResource?: string;
  readonly userinfo?: string;
  readonly valuesFile?: string;
  readonly set?: readonly string[];
  readonly exception?: readonly string[];
  readonly removeColor?: boolean;
}

const operations: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE'];

/** `kyverno explain`: 0 when everything could be explained, whatever the verdicts. */
export async function runExplain(
  policyPath: string,
  resourcePath: string,
  flags: ExplainFlags,
  streams: Streams,
): Promise<number> {
  const explained = await explainFiles(policyPath, resourcePath, flags, text => streams.err(`Warning: ${text}\n`));
  if (flags.json) {
    streams.out(`${prettyJson({explanations: explained as never})}\n`);
    return 0;
  }
  const colours = coloursFor({
    terminal: streams.terminal,
    remove: flags.removeColor === true,
    environment: process.env,
  });
  streams.out(explained.map(one => explanationText(one, colours)).join('\n'));
  return 0;
}

/** Every policy of a file on every object of another. Throws `FileError` for what cannot be read or explained. */
export async function explainFiles(
  policyPath: string,
  resourcePath: string,
  flags: ExplainFlags,
  warn: (text: string) => void,
): Promise<readonly Explained[]> {
  const operation = operationOf(flags.operation);
  const load = await loadPolicyPath(policyPath, builtinResourceMap);
  for (const warning of load.warnings) warn(warning);
  for (const {path, message} of load.skipped) warn(`${path}: ${message}`);
  const objects = (await loadResourcePaths([resourcePath], {resources: builtinResourceMap})).map(({object}) => object);
  if (objects.length === 0) throw new FileError(`${resourcePath}: no resource found`);
  const old =
    flags.oldResource === undefined
      ? []
      : (await loadResourcePaths([flags.oldResource], {resources: builtinResourceMap})).map(({object}) => object);
  const fromPolicies = load.documents.filter(({family}) => family === 'exception').map(({raw}) => raw);
  const fromFiles = flags.exception === undefined ? noExceptions : await loadExceptionFiles(flags.exception);
  const documents = load.documents.filter(
    ({family}) => family !== 'exception' && family !== 'cel-exception' && family !== 'binding',
  );
  if (documents.length === 0) throw new FileError(`${policyPath}: no policy found`);
  const resources = withKindsOf(
    builtinResourceMap,
    objects,
    documents.map(({raw}) => raw),
  );
  const policies = documents.map(document => preparePolicy(document, resources));
  const world = createWorld({
    policies,
    exceptions: [...fromPolicies, ...fromFiles.classic],
    celExceptions: [...load.documents.filter(({family}) => family === 'cel-exception').map(({raw}) => raw), ...fromFiles.cel],
    visible: objects,
    objects,
    resources,
    values: flags.valuesFile === undefined ? undefined : await loadValuesFile(flags.valuesFile),
    set: parseSet(flags.set ?? []),
    user: flags.userinfo === undefined ? undefined : (await loadUserInfoFile(flags.userinfo)).user,
    registry: false,
    cluster: undefined,
  });
  const explained: Explained[] = [];
  for (const policy of policies) {
    for (const warning of policy.warnings) warn(`${policy.key}: ${formatDiagnostic(warning)}`);
    if (policy.invalid.length > 0)
      throw new FileError(`policy ${policy.key} is invalid: ${policy.invalid.map(formatDiagnostic).join('; ')}`);
    for (const object of objects)
      explained.push(
        await explainOne(policy, world, {object, old: oldVersionOf(object, old), operation, rule: flags.rule}),
      );
  }
  if (flags.rule !== undefined && explained.every(({rules}) => rules.length === 0)) {
    throw new FileError(
      `no rule ${flags.rule}; there are: ${policies.flatMap(policy => [...policy.ruleNames]).join(', ')}`,
    );
  }
  return explained;
}

function operationOf(text: string | undefined): Operation | undefined {
  if (text === undefined) return undefined;
  const operation = operations.find(known => known === text.toUpperCase());
  if (operation === undefined) throw new FileError(`--operation: expected ${operations.join(', ')}, found ${text}`);
  return operation;
}

/** The object of the same kind and name, or the only one that is given. */
function oldVersionOf(object: JsonObject, old: readonly JsonObject[]): JsonObject | undefined {
  const {kind, namespace, name} = keyOf(object);
  return (
    old.find(candidate => {
      const key = keyOf(candidate);
      return key.kind === kind && key.namespace === namespace && key.name === name;
    }) ?? (old.length === 1 ? old[0] : undefined)
  );
}
