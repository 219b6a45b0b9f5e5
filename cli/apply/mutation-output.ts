import {appendFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {JsonObject} from '../../engine/json/types.js';
import {ioMessage} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import {isYamlName} from '../files/find-files.js';
import {nameOf} from '../files/load-policies.js';
import {makeFolder} from '../files/make-folder.js';
import type {PolicyResponse} from '../offline/responses.js';
import {yamlText} from '../output/yaml-text.js';
import {resourcePath} from './judged.js';

export interface MutationOutput {
  /** What policies changed or made for one resource. */
  write(responses: readonly PolicyResponse[]): Promise<void>;
}

export interface MutationOutputOptions {
  /** `-o`: a `.yaml` file or a folder. */
  readonly output: string | undefined;
  /** Only objects, nothing around them. */
  readonly bare: boolean;
  /** Nothing on standard output. */
  readonly quiet: boolean;
  readonly out: (text: string) => void;
}

/** Shows changed and generated objects, or writes them where `-o` says. The place is made ready here. */
export async function createMutationOutput(options: MutationOutputOptions): Promise<MutationOutput> {
  const {output} = options;
  const isFile = output !== undefined && isYamlName(output);
  if (output !== undefined) await prepare(output, isFile);
  const written = new Set<string>();

  async function save(name: string, objects: readonly JsonObject[]): Promise<void> {
    if (output === undefined || objects.length === 0) return;
    const path = isFile ? output : join(output, `${name}.yaml`);
    const text = objects.map(object => `---\n${yamlText(object, {sortKeys: true})}`).join('');
    try {
      // What an earlier run left in a folder makes way.
      if (!isFile && !written.has(path)) await writeFile(path, text, {mode: 0o600});
      else await appendFile(path, text);
      written.add(path);
    } catch (error) {
      throw new FileError(ioMessage('write', path, error));
    }
  }

  return {
    async write(responses) {
      for (const response of responses) {
        if (response.phase === 'mutate') {
          const ran = response.rules.filter(rule => rule.status === 'pass');
          if (ran.length === 0) continue;
          const targets = ran.flatMap(rule => rule.targets);
          const changed = ran.some(rule => rule.targets.length === 0);
          const objects = [...(changed ? [response.patched] : []), ...targets];
          await save(`${nameOf(response.resource)}-mutated`, objects);
          show(response, changed ? [response.patched] : [], targets, 'mutation');
        } else if (response.phase === 'generate') {
          const objects = response.rules.flatMap(rule => rule.generated);
          if (objects.length === 0) continue;
          await save(`${response.policy.name}-generated`, objects);
          show(response, objects, [], 'generation');
        }
      }
    },
  };

  function show(
    response: PolicyResponse,
    objects: readonly JsonObject[],
    targets: readonly JsonObject[],
    what: 'mutation' | 'generation',
  ): void {
    if (options.quiet) return;
    const done =
      what === 'mutation'
        ? 'Mutation:\nMutation has been applied successfully.'
        : 'Generate:\nGeneration completed successfully.';
    if (output !== undefined) {
      options.out(options.bare ? '' : `\n${done}\n`);
      return;
    }
    if (options.bare) {
      options.out([...objects, ...targets].map(object => `---\n${yamlText(object, {sortKeys: true})}`).join(''));
      return;
    }
    let text = `policy ${response.policy.key} applied to ${resourcePath(response)}:\n`;
    text += objects.map(object => `${yamlText(object, {indent: 4, sortKeys: true})}---\n`).join('');
    if (targets.length > 0)
      text += `patched targets:\n${targets.map(object => `${yamlText(object, {indent: 4, sortKeys: true})}---\n`).join('')}`;
    options.out(`${text}\n\n${done}\n`);
  }
}

async function prepare(output: string, isFile: boolean): Promise<void> {
  try {
    await makeFolder(isFile ? dirname(output) : output);
    if (!isFile) return;
    await writeFile(output, '', {mode: 0o600});
  } catch (error) {
    throw new FileError(ioMessage('create', output, error));
  }
}
