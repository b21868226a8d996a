import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Suffixes of test files:
//   *.slow.test.ts       takes long by nature (recovery, floods, long timers); `npm run test:slow` runs it
//   *.server.test.ts     needs a database server
//   *.embedded.test.ts   tests SQLite itself, so it never runs on a database server

/** Panel tests whose result can depend on the SQL dialect. They run on SQLite, PostgreSQL and MariaDB. */
const dialectTests = [
  'database/**',
  'account/**',
  'activity/**',
  'auth/{auth,revocation,tries,two-factor}*',
  'invites/**',
  'mail/mail*',
  'nodes/{nodes,ports,signing-keys,local-claim}*',
  'oauth2/**',
  'password-reset/**',
  'proxy/grounds*',
  'server-users/**',
  'servers/{servers,unfinished-servers}*',
  'settings/**',
  'ssh-keys/**',
  'tasks/**',
  'templates/templates*',
  'users/**',
].map((files) => `packages/panel/src/${files}`)

const slow = '**/*.slow.test.ts'
const onServers = ['**/*.server.test.ts', '**/*.server.slow.test.ts']

const common = {
  setupFiles: ['tools/test-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  environment: 'node',
  // Test files of one worker share their modules: loading them again for each file takes longer than most tests.
  isolate: false,
}

/** One project for each database server, with one server for the whole run. */
const onEachServer = (prefix: string, include: readonly string[], exclude: readonly string[]) =>
  ['postgres', 'mariadb'].map((kind) => ({
    test: {
      ...common,
      name: `${prefix}-${kind}`,
      include: [...include],
      exclude: [...exclude],
      globalSetup: [`packages/panel/src/testing/start-${kind}.ts`],
    },
  }))

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          ...common,
          name: 'node',
          include: [
            'packages/{contract,daemon,panel,cli}/src/**/*.test.ts',
            'bench/**/*.test.ts',
            'checks/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          exclude: [slow, ...onServers],
        },
      },
      ...onEachServer(
        'panel',
        [...dialectTests.map((files) => `${files}.test.ts`), 'packages/*/src/**/*.server.test.ts'],
        [slow, '**/*.embedded.test.ts'],
      ),
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
      { test: { ...common, name: 'slow', include: ['packages/*/src/**/*.slow.test.ts'], exclude: onServers } },
      ...onEachServer('slow', ['packages/*/src/**/*.server.slow.test.ts'], []),
    ],
  },
})
