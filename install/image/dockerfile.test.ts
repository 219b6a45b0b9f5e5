import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {imageConfig} from '../../scripts/image/make-image.js';
import {nodeVersion} from '../../scripts/image/pins.js';

const text = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8').replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
const steps = text
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    return {word, rest: rest.join(' ')};
  });
const of = (word: string) => steps.filter(step => step.word === word).map(({rest}) => rest);
const last = steps.slice(steps.map(({word}) => word).lastIndexOf('FROM'));

/** What linters of such files ask for. */
describe('install/image/Dockerfile', () => {
  it('knows its instructions', () => {
    const known = new Set(['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'EXPOSE', 'USER', 'ENTRYPOINT', 'CMD']);
    expect(steps.filter(({word}) => !known.has(word))).toEqual([]);
  });

  it('names each base by a tag other than latest, and its registry', () => {
    for (const base of of('FROM')) expect(base).toMatch(/^[a-z0-9.-]+\.[a-z]+\/[\w./-]+:(?!latest)[\w.-]+( AS [a-z]+)?$/);
  });

  it('ends as a user by number that is not root', () => {
    expect(last.filter(({word}) => word === 'USER').map(({rest}) => Number(rest))).toEqual([65_532]);
  });

  it('runs nothing in the image itself, which has no shell', () => {
    expect(last.filter(({word}) => word === 'RUN')).toEqual([]);
  });

  it('ends each chain of commands at the first that fails, and installs without scripts', () => {
    for (const command of of('RUN')) {
      expect(command).not.toMatch(/;|\|/);
      expect(command).not.toMatch(/\bsudo\b|curl|wget/);
      expect(command).toContain('npm ci --ignore-scripts');
    }
  });

  it('has absolute folders, and a command in its exec form', () => {
    for (const folder of of('WORKDIR')) expect(folder).toMatch(/^\//);
    for (const words of [...of('ENTRYPOINT'), ...of('CMD')]) expect(Array.isArray(JSON.parse(words))).toBe(true);
  });

  it('is the image that `npm run image` assembles', () => {
    expect(of('FROM')[0]).toContain(`:${nodeVersion}-`);
    expect(last.find(({word}) => word === 'ENV')?.rest.match(/\w+=(?:"[^"]*"|\S*)/g)?.map(text => text.replaceAll('"', ''))).toEqual(imageConfig.Env);
    expect(last.find(({word}) => word === 'USER')?.rest).toBe(imageConfig.User);
    expect(JSON.parse(of('ENTRYPOINT')[0]!)).toEqual(imageConfig.Entrypoint);
    expect(JSON.parse(of('CMD')[0]!)).toEqual(imageConfig.Cmd);
    expect(of('EXPOSE')[0]!.split(' ')).toEqual(Object.keys(imageConfig.ExposedPorts));
  });
});
