import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// The panel's tests run on an embedded database in the project `node`, and on each database server once more; those in
// `*.server.test.ts` need a server, those in `*.embedded.test.ts` need none.
const common = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    // Much of a test is waiting for processes, disks and databases: one more at a time than there are cores.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...common,
          name: 'node',
          environment: 'node',
          include: [
            'packages/{contract,daemon,panel,cli}/src/**/*.test.ts',
            'bench/**/*.test.ts',
            'checks/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          exclude: ['**/*.server.test.ts'],
        },
      },
      ...['postgres', 'mariadb'].map((kind) => ({
        test: {
          ...common,
          name: `panel-${kind}`,
          environment: 'node',
          include: ['packages/panel/src/**/*.test.ts', 'packages/cli/src/**/*.server.test.ts'],
          exclude: ['**/*.embedded.test.ts'],
          globalSetup: [`packages/panel/src/testing/start-${kind}.ts`],
          // Nothing is kept in modules and nothing is replaced: to load the panel anew for each file is time lost.
          isolate: false,
        },
      })),
      {
        test: {
          ...common,
          name: 'web',
          environment: 'jsdom',
          include: ['packages/web/src/**/*.test.{ts,tsx}'],
          setupFiles: ['packages/web/src/testing/setup.ts'],
          css: false,
        },
      },
    ],
  },
})
