import {defineConfig} from 'vitest/config';

const node = {environment: 'node' as const, pool: 'threads' as const};

/** One project per stage of `npm test`; end-to-end stages run their files one after another. */
export default defineConfig({
  test: {
    projects: [
      // Many of these wait; one worker a core would wait with them. No test is late on a machine that others use, too.
      {test: {...node, name: 'unit', maxWorkers: 4, testTimeout: 300_000, hookTimeout: 300_000, include: ['{engine,adapters,webhook,operator,cli,crds,scripts,install,olm}/**/*.test.ts', 'test/{unit,security}/**/*.test.ts']}},
      {test: {...node, name: 'standalone', include: ['test/standalone/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false}},
      {test: {...node, name: 'packaging', pool: 'forks', include: ['test/helm/**/*.test.ts', 'test/olm/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 1_800_000, fileParallelism: false}},
      {test: {...node, name: 'image', pool: 'forks', include: ['test/image/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 1_800_000, fileParallelism: false}},
      {test: {...node, name: 'e2e', pool: 'forks', include: ['test/e2e/**/*.test.ts', 'test/takeover/own.test.ts'], testTimeout: 300_000, hookTimeout: 900_000, fileParallelism: false}},
      {test: {...node, name: 'images', pool: 'forks', include: ['test/images/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 900_000, fileParallelism: false}},
      {test: {...node, name: 'install', pool: 'forks', include: ['test/install/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 900_000, fileParallelism: false}},
      {test: {...node, name: 'takeover', pool: 'forks', include: ['test/takeover/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 900_000, fileParallelism: false}},
      {test: {...node, name: 'upgrade', pool: 'forks', include: ['test/upgrade/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 1_800_000, fileParallelism: false}},
      {test: {...node, name: 'chaos', pool: 'forks', include: ['test/chaos/**/*.test.ts'], testTimeout: 600_000, hookTimeout: 900_000, fileParallelism: false}},
    ],
  },
});
