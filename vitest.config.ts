import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Suffixes of test files:
//   *.slow.test.ts(x)    takes long by nature (recovery, floods, long timers), or has dozens of tests that fill in the forms
//                        of one screen; `npm run test:slow` runs it
//   *.server.test.ts     needs a database server
//   *.mariadb.test.ts    needs MariaDB
//   *.embedded.test.ts   tests SQLite itself, so it never runs on a database server

/** Panel tests that can depend on the SQL dialect: the slow run has them on PostgreSQL and MariaDB too. */
const dialectTests = [
  'account/**',
  'activity/activity*',
  'activity/audit-transaction*',
  'alerts/alerts*',
  'auth/revocation*',
  'auth/{auth,two-factor,second-factor-policy,email-confirmation}*',
  'clones/**',
  'database/**',
  'invites/**',
  'mail/mail*',
  'nodes/{local-node-lock,signing-keys}*',
  'moves/**',
  'nodes/{availability,nodes,placements,ports}*',
  'oauth2/**',
  'oidc/**',
  'orders/**',
  'passkeys/**',
  'password-reset/**',
  'proxy/reauthorization*',
  'queue/**',
  'roles/**',
  'security/**',
  'server-users/**',
  'servers/{server-list,servers,tags,unfinished-servers}*',
  'settings/**',
  'sftp/sftp*',
  'ssh-keys/**',
  'tasks/**',
  'templates/templates*',
  'users/{operator,keys-and-clients,user-admin}*',
].map((files) => `packages/panel/src/${files}.test.ts`)

/** Panel tests of transactions, locks, queues and the life of connections: the slow run has them by way of PgBouncer too. */
const connectionTests = ['database/**', 'queue/**', 'nodes/local-node-lock*', 'security/**', '*.server'].map(
  (files) => `packages/panel/src/${files}.test.ts`,
)

const slow = '**/*.slow.test.{ts,tsx}'
const onServers = ['packages/*/src/**/*.{server,mariadb}.test.ts', 'packages/*/src/**/*.server.slow.test.ts']

const common = {
  setupFiles: ['tools/test-setup.ts'],
  testTimeout: 60_000,
  // A busy machine can be late once: CI runs a failed test a second time.
  retry: process.env.CI ? 1 : 0,
  hookTimeout: 60_000,
  environment: 'node',
  // Test files of one worker share their modules: loading them again for each file takes longer than most tests.
  isolate: false,
}

/** Tests of the web app. */
const inJsdom = {
  ...common,
  environment: 'jsdom',
  setupFiles: ['packages/web/src/testing/no-element-traces.ts', 'packages/web/src/testing/setup.ts'],
  css: false,
  // Vitest would resolve the build for Node.js, which cannot upload a browser's File.
  alias: { 'tus-js-client': 'tus-js-client/lib.es5/browser/index.js' },
}

/** One project for each database server, with one server for the whole run. */
const onEachServer = ['postgres', 'mariadb'].map((kind) => ({
  test: {
    ...common,
    name: `slow-${kind}`,
    include: [...dialectTests, ...onServers],
    exclude: ['**/*.embedded.test.ts', ...(kind === 'mariadb' ? [] : ['**/*.mariadb.test.ts'])],
    globalSetup: [`packages/panel/src/testing/start-${kind}.ts`],
  },
}))

export default defineConfig({
  test: {
    // One more than cores, because many tests wait for processes and sockets.
    maxWorkers: availableParallelism() + 1,
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
      { test: { ...inJsdom, name: 'web', include: ['packages/web/src/**/*.test.{ts,tsx}'], exclude: [slow] } },
      { test: { ...inJsdom, name: 'slow-web', include: ['packages/web/src/**/*.slow.test.tsx'] } },
      {
        test: {
          ...common,
          name: 'slow',
          include: ['packages/*/src/**/*.slow.test.ts'],
          exclude: onServers,
          // Some run restic or a game dozens of times: 40 s on a quiet machine.
          testTimeout: 180_000,
        },
      },
      ...onEachServer,
      // With its defaults, and as it is configured for many panels.
      ...Object.entries({ session: [], transaction: ['pool_mode = transaction'] }).map(([mode, poolerSettings]) => ({
        test: {
          ...common,
          name: `slow-pgbouncer-${mode}`,
          include: connectionTests,
          exclude: [slow, '**/*.embedded.test.ts'],
          globalSetup: ['packages/panel/src/testing/start-pgbouncer.ts'],
          testTimeout: 180_000,
          provide: { poolerSettings },
        },
      })),
    ],
  },
})
