import type { Locator, Page } from '@playwright/test'
import { firstAdmin } from '../testing/api.ts'
import { longName } from '../testing/layout.ts'
import { fakeAlerts } from './alerts.ts'
import { fakeBackupOverview } from './backup-overview.ts'
import { fakeBackups, onBackup } from './backups.ts'
import { fakeLivenessReport } from './liveness.ts'
import { fakePlayers } from './players.ts'
import type { Role, SampleData } from './sample-data.ts'
import { fakeCopies, fakeTargets } from './targets.ts'
import { fakeTrash, fakeVersions } from './trash.ts'

export interface Screen {
  readonly name: string
  /** An administrator unless set. */
  readonly as?: Role
  /** Shown by an installation without an administrator. */
  readonly isSetup?: boolean
  readonly path: string | ((data: SampleData) => string)
  /** Text that is visible when the screen is complete; absent if the page has none. */
  readonly shows?: string | RegExp
  /** Runs before the page is opened, for example to fake responses of the panel. */
  readonly before?: (page: Page) => Promise<unknown>
  /** User actions to open a dialog or reach a state. */
  readonly steps?: (page: Page, data: SampleData) => Promise<void>
  /** Scrolled to the middle of each picture. */
  readonly part?: (page: Page) => Locator
}

/** A server that is 70 days old, and was down for some time. */
const fakeUptime = (page: Page) =>
  page.route(/\/stats\/uptime$/, (route) =>
    route.fulfill({
      json: {
        fromMs: Date.now() - 89 * 24 * 60 * 60 * 1000,
        days: Array.from({ length: 90 }, (_, day) => (day < 20 ? null : day === 41 ? 0 : day % 17 === 0 ? 0.62 : 1)),
      },
    }),
  )

const onServer = (tab: string) => (data: SampleData) => `/server/${data.running}?tab=${tab}`

const click = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true }).first().click()

const dialog = (page: Page) =>
  page.locator('[role="dialog"], [role="alertdialog"]').filter({ visible: true }).first().waitFor()

const opening = (name: string | RegExp) => async (page: Page) => {
  await click(name)(page)
  await dialog(page)
}

/** Goes through the first steps of the wizard. */
const wizard = (steps: number) => async (page: Page) => {
  await page.getByRole('radiogroup', { name: 'Template' }).getByRole('radio', { name: 'Any command' }).click()
  if (steps > 0) {
    await click('Continue')(page)
    await page.getByRole('heading', { name: 'Where should it run?' }).waitFor()
  }
  if (steps > 1) {
    await click('Continue')(page)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(longName)
  }
  if (steps > 2) {
    await click('Continue')(page)
    await page.getByRole('button', { name: 'Create server' }).waitFor()
  }
}

/** The programs of the sample data are no games. */
const fakePlayerCounts = (page: Page) =>
  page.route('**/api/servers/usage?*', async (route) => {
    const response = await route.fetch()
    const usage = (await response.json()) as { status?: { running: boolean } }[]
    const players = { online: 112, max: 1000, bots: 8 }
    await route.fulfill({ response, json: usage.map((one) => (one.status?.running ? { ...one, players } : one)) })
  })

const serversFail = (page: Page) =>
  page.route('**/api/servers?*', (route) =>
    route.fulfill({ status: 500, json: { error: { code: 'ErrUnknownError', msg: 'The database is locked' } } }),
  )

/** Selects all servers of the list; phones have a mode for it. */
const selectServers = async (page: Page) => {
  const selectMode = page.getByRole('button', { name: 'Select servers' })
  if (await selectMode.isVisible()) {
    await selectMode.click()
    await page.getByRole('checkbox').first().check()
    await page.getByRole('button', { name: /^Select all/ }).click()
  } else await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
}

const bulkAction = (name: string) => async (page: Page) => {
  await selectServers(page)
  await opening(name)(page)
}

/** The installation of some servers fails. */
const installsFail = (page: Page) =>
  page.route(/\/server\/[^/]+\/install$/, (route) =>
    /[0-7]\/install$/.test(route.request().url())
      ? route.fulfill({ status: 400, json: { error: { code: 'ErrServerDisabled', msg: 'The server is disabled' } } })
      : route.fulfill({ status: 204 }),
  )

const savedFilters = (page: Page) =>
  page.route('**/api/userSettings', (route) =>
    route.fulfill({
      json: [
        {
          key: 'serverFilters',
          value: JSON.stringify([
            { name: 'Crashed in the EU', params: { status: 'crashed', tag: 'EU' } },
            { name: longName, params: { sort: 'cpu', order: 'desc' } },
          ]),
        },
      ],
    }),
  )

const openSavedFilters = async (page: Page) => {
  const filterList = page.getByRole('button', { name: 'Filter the list' })
  if (await filterList.isVisible()) await filterList.click()
  await page.getByRole('button', { name: longName }).click()
  await page.getByRole('menuitem', { name: 'Edit saved filters' }).waitFor()
}

const refuse = (path: string | RegExp, status: number, code: string) => (page: Page) =>
  page.route(path, (route) => route.fulfill({ status, json: { error: { code, msg: code } } }))

const answer = (path: string | RegExp, json: unknown) => (page: Page) =>
  page.route(path, (route) => route.fulfill({ json }))

/** Answers the first request, and lets every later one fail. */
const failLater = (path: string) => async (page: Page) => {
  let isFirst = true
  await page.route(path, async (route) => {
    if (!isFirst) return route.fulfill({ status: 500, json: { error: { code: 'ErrUnknownError' } } })
    isFirst = false
    return route.continue()
  })
}

const emptyPage = { page: 1, pageSize: 10, maxSize: 100, total: 0 }

const pages: readonly Screen[] = [
  { name: 'overview', path: '/overview', before: fakePlayerCounts, shows: 'Needs attention' },
  {
    name: 'notifications',
    path: '/server',
    shows: 'Crashing lobby',
    steps: async (page) => {
      if ((page.viewportSize()?.width ?? 0) < 768) await page.getByRole('button', { name: 'Menu' }).click()
      await page.getByRole('button', { name: /^Notifications/ }).click()
      await page.getByRole('dialog', { name: 'Notifications' }).waitFor()
    },
  },
  { name: 'servers', path: '/server', before: fakePlayerCounts, shows: 'Crashing lobby' },
  { name: 'console', path: onServer('console'), shows: 'Could not load chunk' },
  { name: 'stats', path: onServer('stats'), before: fakeUptime, shows: 'Peak' },
  { name: 'players', path: onServer('players'), before: fakePlayers, shows: 'Steve' },
  { name: 'files', path: onServer('files'), shows: 'server.properties' },
  { name: 'backups', path: onServer('backups'), before: fakeBackups, shows: 'Before a restore' },
  { name: 'tasks', path: onServer('tasks'), shows: 'Nightly restart' },
  { name: 'server-settings', path: onServer('settings'), shows: 'Players may fight' },
  { name: 'server-users', path: onServer('users'), shows: 'viewer' },
  { name: 'server-admin', path: onServer('admin'), shows: 'Start and recovery' },
  { name: 'users', path: '/user', shows: 'nobody' },
  { name: 'user', path: ({ user }) => `/user/${user}`, shows: 'Panel permissions' },
  { name: 'add-user', path: '/adduser', shows: 'Password' },
  { name: 'settings', path: '/settings', shows: 'Company name' },
  {
    name: 'settings-last-backup',
    path: '/settings',
    before: answer('**/api/backup', { lastBackupAt: '2026-11-01T03:00:00.000Z' }),
    shows: 'Company name',
  },
  {
    name: 'settings-alerts',
    path: '/settings',
    before: fakeAlerts,
    shows: 'Server crashed: lobby',
    steps: (page) => page.getByText('Server crashed: lobby').filter({ visible: true }).first().scrollIntoViewIfNeeded(),
  },
  {
    name: 'alert-channel',
    path: '/settings',
    before: fakeAlerts,
    shows: 'Server crashed: lobby',
    steps: opening('Edit On call'),
  },
  { name: 'activity', path: '/activity', shows: 'mara' },
  { name: 'add-server', path: '/addserver', shows: 'OpenTTD' },
  { name: 'nodes', path: '/node', shows: 'LocalNode' },
  { name: 'node', path: '/node/0', shows: 'Each server has its own system user' },
  {
    name: 'nodes-backups',
    path: '/node',
    before: fakeBackupOverview,
    shows: 'Recent failures',
    steps: (page) => page.getByText('Upcoming backup jobs').scrollIntoViewIfNeeded(),
  },
  {
    name: 'node-backups',
    path: '/node/0',
    before: fakeBackupOverview,
    shows: 'Recent failures',
    steps: (page) => page.getByText('Recent failures').scrollIntoViewIfNeeded(),
  },
  {
    name: 'node-retention',
    path: '/node/0',
    before: answer('**/api/nodes/0/backups/retention', {
      retention: { last: 3, daily: 7, weekly: 4, monthly: 6, yearly: 1, maxBytes: 50 * 1024 ** 3 },
      source: 'node',
    }),
    shows: 'Use panel default',
    steps: (page) => page.getByText('Size limit (GiB)').scrollIntoViewIfNeeded(),
  },
  { name: 'node-waiting', path: ({ node }) => `/node/${node}`, shows: 'Waiting for first connection' },
  { name: 'add-node', path: '/addnode', shows: 'Public host' },
  { name: 'templates', path: '/template', shows: 'OpenTTD' },
  { name: 'template', path: '/template/openttd', shows: 'Add variable' },
  { name: 'add-template', path: '/addtemplate', shows: 'Start from' },
  { name: 'import-templates', path: '/importtemplates', shows: 'OpenTTD' },
  { name: 'account', path: '/account', shows: 'Sessions' },
  { name: 'docs', path: '/docs', shows: 'Back up Innkeeper itself' },
  { name: 'docs-page', path: '/docs/backup', shows: 'What to back up' },
  { name: 'not-found', path: '/errors/404', shows: 'This page does not exist' },
]

const states: readonly Screen[] = [
  { name: 'servers-filtered', path: '/server?q=nothing-has-this-name', shows: /Nothing matches/ },
  {
    name: 'servers-first-steps',
    path: '/server',
    before: (page) =>
      page.route('**/api/servers?*', (route) =>
        route.fulfill({ json: { servers: [], paging: { page: 1, pageSize: 10, maxSize: 100, total: 0 } } }),
      ),
    shows: 'Back up Innkeeper',
  },
  { name: 'servers-empty', as: 'nobody', path: '/server', shows: 'No servers here yet' },
  { name: 'no-permission', as: 'nobody', path: '/settings', shows: 'You do not have permission to view this page' },
  { name: 'no-permission-nodes', as: 'nobody', path: '/node', shows: /Ask an administrator for the permission/ },
  { name: 'servers-scrolling', path: '/server?limit=all', shows: 'Crashing lobby' },
  { name: 'servers-tagged', path: '/server?tag=EU&sort=tags', shows: 'Crashing lobby' },
  { name: 'servers-selected', path: '/server', shows: 'Crashing lobby', steps: selectServers },
  {
    name: 'server-row-menu',
    path: '/server',
    shows: 'Crashing lobby',
    steps: async (page) => {
      await page.getByRole('button', { name: /^More actions for A winter survival/ }).click()
      await page.getByRole('menu').waitFor()
    },
  },
  {
    name: 'saved-filters',
    path: '/server?sort=cpu&order=desc',
    before: savedFilters,
    shows: 'Crashing lobby',
    steps: openSavedFilters,
  },
  {
    name: 'servers-loading',
    path: '/server',
    before: (page) => page.route('**/api/servers?*', () => undefined),
    shows: 'Servers',
  },
  { name: 'servers-error', path: '/server', before: serversFail, shows: 'Could not load the servers' },
  {
    name: 'error-details',
    path: '/server',
    before: serversFail,
    shows: 'Could not load the servers',
    steps: (page) => page.getByText('Details', { exact: true }).filter({ visible: true }).first().click(),
  },
  { name: 'console-crashed', path: ({ crashed }) => `/server/${crashed}`, shows: /Crashed .* with exit code 3/ },
  { name: 'console-not-responding', path: ({ hung }) => `/server/${hung}`, shows: /not printed anything for too long/ },
  {
    name: 'liveness-report',
    path: ({ hung }) => `/server/${hung}`,
    before: fakeLivenessReport,
    shows: /not printed anything for too long/,
    steps: async (page) => {
      await opening('Show report')(page)
      await page.getByText('Full thread dump').waitFor()
    },
  },
  { name: 'admin-not-responding', path: ({ hung }) => `/server/${hung}?tab=admin`, shows: 'Show reports' },
  { name: 'console-offline', path: ({ idle }) => `/server/${idle}`, shows: 'Offline' },
  { name: 'console-installing', path: ({ installing }) => `/server/${installing}`, shows: /Installing/ },
  { name: 'console-paused', path: onServer('console'), shows: 'Could not load chunk', steps: click('Pause') },
  { name: 'terminal', path: ({ fullScreen }) => `/server/${fullScreen}?view=terminal`, shows: /PID USER/ },
  { name: 'server-read-only', as: 'viewer', path: onServer('console'), shows: 'Could not load chunk' },
  { name: 'files-read-only', as: 'viewer', path: onServer('files'), shows: 'server.properties' },
  {
    name: 'tab-no-permission',
    as: 'viewer',
    path: onServer('tasks'),
    shows: 'You cannot see the tasks of this server',
  },
  {
    name: 'server-node-offline',
    path: onServer('files'),
    before: async (page) => {
      await page.routeWebSocket(/\/proxy\/daemon\/socket/, (socket) => socket.close())
      await refuse(/\/proxy\/daemon\//, 502, 'ErrServiceNotAvailable')(page)
    },
    shows: /has not responded since/,
  },
  {
    name: 'files-loading',
    path: onServer('files'),
    before: (page) => page.route('**/file/**', () => undefined),
    steps: (page) => page.locator('.mantine-Skeleton-root').first().waitFor(),
  },
  {
    name: 'files-error',
    path: onServer('files'),
    before: refuse('**/file/**', 500, 'ErrUnknownError'),
    shows: 'Could not load',
  },
  { name: 'backups-empty', path: ({ idle }) => `/server/${idle}?tab=backups`, shows: 'No backups yet' },
  {
    name: 'backups-jobs',
    path: onServer('backups'),
    before: (page) => fakeBackups(page, { withJobs: true }),
    shows: 'Could not restore the backup',
  },
  {
    name: 'backups-error',
    path: onServer('backups'),
    before: refuse(/\/daemon\/server\/[^/]+\/backup$/, 500, 'ErrUnknownError'),
    shows: 'Could not load',
  },
  {
    name: 'backups-read-only',
    as: 'viewer',
    path: onServer('backups'),
    before: fakeBackups,
    shows: 'Before a restore',
  },
  {
    name: 'players-none',
    path: onServer('players'),
    before: (page) => fakePlayers(page, { isAsked: false, status: undefined, online: [] }),
    shows: 'does not report its players',
  },
  {
    name: 'players-hours',
    path: onServer('players'),
    before: fakePlayers,
    shows: 'Steve',
    part: (page) => page.getByRole('region', { name: 'When people play' }),
  },
  {
    name: 'stats-uptime',
    path: onServer('stats'),
    before: fakeUptime,
    shows: /^Ran .* of the last 70 days$/,
    part: (page) => page.getByRole('region', { name: 'Uptime' }),
  },
  {
    name: 'players-nobody',
    path: onServer('players'),
    before: (page) =>
      fakePlayers(page, { status: { players: { online: 0, max: 20, names: [] }, answeredMs: 3 }, online: [] }),
    shows: 'Nobody is playing',
  },
  { name: 'tasks-empty', path: ({ idle }) => `/server/${idle}?tab=tasks`, shows: 'No tasks yet' },
  {
    name: 'server-settings-empty',
    path: ({ idle }) => `/server/${idle}?tab=settings`,
    before: answer(/\/daemon\/server\/[^/]+\/data$/, { data: {} }),
    shows: 'no editable settings',
  },
  { name: 'server-users-empty', path: ({ idle }) => `/server/${idle}?tab=users`, shows: 'Add user' },
  { name: 'nodes-no-permission', as: 'nobody', path: '/node', shows: 'You do not have permission to view this page' },
  { name: 'nodes-empty', path: '/node', before: answer('**/api/nodes', []), shows: 'No nodes available' },
  { name: 'nodes-stale', path: '/node', before: failLater('**/api/nodes'), shows: /Could not refresh/ },
  { name: 'templates-empty', path: '/template', before: answer('**/api/templates', []), shows: 'Import templates' },
  {
    name: 'users-filtered',
    path: '/user?q=nothing-has-this-name',
    before: answer(/\/api\/users\?/, { users: [], paging: emptyPage }),
    shows: 'Users',
  },
  {
    name: 'users-error',
    path: '/user',
    before: refuse(/\/api\/users\?/, 500, 'ErrUnknownError'),
    shows: 'Could not load the users',
  },
  {
    name: 'activity-empty',
    path: '/activity',
    before: answer(/\/api\/activity/, { activity: [], paging: emptyPage }),
    shows: 'Activity',
  },
  {
    name: 'settings-error',
    path: '/settings',
    before: refuse(/\/api\/settings$/, 500, 'ErrUnknownError'),
    shows: 'Could not load',
  },
  { name: 'add-server-no-templates', path: '/addserver', before: answer('**/api/templates', []), shows: 'Import' },
  { name: 'sign-in', as: 'guest', path: '/auth/login', shows: 'Sign in' },
  {
    name: 'two-factor-prompt',
    as: 'guest',
    path: '/auth/login',
    shows: 'Sign in',
    before: (page) =>
      page.route('**/auth/login', async (route) => {
        if (route.request().method() === 'POST') await route.fulfill({ json: { otpNeeded: true } })
        else await route.continue()
      }),
    steps: async (page) => {
      await page.getByLabel('Email').fill('mara@example.net')
      await page.getByRole('textbox', { name: 'Password' }).fill('a lantern at night')
      await click('Sign in')(page)
      await page.getByText('Enter your code').first().waitFor()
    },
  },
  {
    name: 'sign-in-without-mail',
    as: 'guest',
    path: '/auth/login',
    shows: 'Ask an administrator to set a new password',
    before: (page) =>
      page.route('**/api/config', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), passwordResetEnabled: false } })
      }),
  },
  { name: 'register', as: 'guest', path: '/auth/register', shows: 'Create an account' },
  { name: 'invite', as: 'guest', path: ({ invitePath }) => invitePath, shows: 'You are invited' },
  { name: 'forgot', as: 'guest', path: '/auth/forgot', shows: 'Forgot your password?' },
  { name: 'reset', as: 'guest', path: '/auth/reset#token=0123456789abcdef', shows: /new password|no longer works/i },
  { name: 'setup', as: 'guest', isSetup: true, path: '/auth/setup', shows: 'Setup code' },
]

const dialogs: readonly Screen[] = [
  { name: 'servers-install', path: '/server', shows: 'Crashing lobby', steps: bulkAction('Install') },
  { name: 'servers-command', path: '/server', shows: 'Crashing lobby', steps: bulkAction('Send command') },
  { name: 'servers-tags', path: '/server', shows: 'Crashing lobby', steps: bulkAction('Edit tags') },
  {
    name: 'servers-results',
    path: '/server',
    before: installsFail,
    shows: 'Crashing lobby',
    steps: async (page) => {
      await bulkAction('Install')(page)
      const submit = page.getByRole('button', { name: /^Install \d+ servers$/ })
      const [count = ''] = /\d+/.exec((await submit.textContent()) ?? '') ?? []
      await page.getByLabel(/^Type \d+ to confirm$/).fill(count)
      await submit.click()
      await page.getByRole('region', { name: 'Result of each server' }).waitFor()
    },
  },
  {
    name: 'server-tags',
    path: '/server',
    shows: 'Crashing lobby',
    steps: async (page) => {
      await click(/^More actions for A winter/)(page)
      await page.getByRole('menuitem', { name: 'Edit tags' }).click()
      await dialog(page)
    },
  },
  {
    name: 'save-filter',
    path: '/server?sort=cpu&order=desc',
    before: savedFilters,
    shows: 'Crashing lobby',
    steps: async (page) => {
      await openSavedFilters(page)
      await page.getByRole('menuitem', { name: 'Save this filter' }).click()
      await dialog(page)
    },
  },
  {
    name: 'edit-filters',
    path: '/server?sort=cpu&order=desc',
    before: savedFilters,
    shows: 'Crashing lobby',
    steps: async (page) => {
      await openSavedFilters(page)
      await page.getByRole('menuitem', { name: 'Edit saved filters' }).click()
      await dialog(page)
    },
  },
  {
    name: 'palette',
    path: '/server',
    shows: 'Crashing lobby',
    steps: async (page) => {
      await page.keyboard.press('Control+k')
      await dialog(page)
    },
  },
  {
    name: 'palette-server',
    path: onServer('console'),
    shows: 'Could not load chunk',
    steps: async (page) => {
      await page.keyboard.press('Control+k')
      await dialog(page)
      await page.keyboard.type('st')
      await page.getByRole('option', { name: 'Stop' }).first().waitFor()
    },
  },
  {
    name: 'files-selected',
    path: onServer('files'),
    shows: 'server.properties',
    steps: async (page) => {
      const all = page.getByRole('checkbox', { name: 'Select all' })
      if (await all.isVisible()) return all.check()
      await click('More actions for config')(page)
      await page.getByText('Select', { exact: true }).click()
    },
  },
  {
    name: 'shortcuts',
    path: '/server',
    shows: 'Crashing lobby',
    steps: async (page) => {
      await page.keyboard.press('?')
      await dialog(page)
    },
  },
  {
    name: 'delete-node',
    path: '/node',
    shows: 'Frankfurt 2',
    steps: async (page) => {
      await click('More actions for Frankfurt 2')(page)
      await page.getByRole('menuitem', { name: 'Delete node' }).click()
      await dialog(page)
    },
  },
  // On the sign-in page the button is at the same place at every width.
  { name: 'language', as: 'guest', path: '/auth/login', shows: 'Sign in', steps: opening(/^Language/) },
  {
    name: 'rename-server',
    path: onServer('console'),
    shows: 'Could not load chunk',
    steps: async (page) => {
      const button = page.getByRole('button', { name: 'Rename server' })
      if (await button.isVisible()) await button.click()
      else {
        await click(/^More/)(page)
        await page.getByRole('menuitem', { name: 'Rename server' }).click()
      }
      await dialog(page)
    },
  },
  { name: 'delete-server', path: onServer('admin'), shows: 'Start and recovery', steps: opening('Delete') },
  { name: 'edit-definition', path: onServer('admin'), shows: 'Start and recovery', steps: opening('Edit') },
  {
    name: 'create-server-client',
    path: onServer('admin'),
    shows: 'Start and recovery',
    steps: opening('Create client'),
  },
  {
    name: 'delete-file',
    path: onServer('files'),
    shows: 'server.properties',
    steps: async (page) => {
      await click('More actions for start.sh')(page)
      await page
        .getByRole('menuitem', { name: 'Delete' })
        .or(page.getByRole('button', { name: 'Delete', exact: true }))
        .click()
      await page.getByRole('button', { name: 'Delete file' }).waitFor()
    },
  },
  {
    name: 'trash',
    path: onServer('files'),
    before: fakeTrash,
    shows: 'server.properties',
    steps: opening('Trash'),
  },
  {
    name: 'file-editor',
    path: ({ running }) => `/server/${running}?tab=files&edit=server.properties`,
    shows: /max-players/,
  },
  {
    name: 'file-versions',
    path: ({ running }) => `/server/${running}?tab=files&edit=server.properties`,
    before: fakeVersions,
    shows: /max-players/,
    steps: async (page) => {
      const button = page.getByRole('button', { name: 'Versions' })
      if (!(await button.isVisible())) {
        await page.getByRole('dialog').getByRole('button', { name: 'More actions' }).click()
        await page.getByRole('menuitem', { name: 'Versions' }).click()
      } else await button.click()
      await page.getByRole('button', { name: 'Restore' }).waitFor()
      await page.getByText('Before the great winter').first().waitFor()
    },
  },
  { name: 'image-preview', path: ({ running }) => `/server/${running}?tab=files&view=icon.png`, shows: 'icon.png' },
  {
    name: 'upload-queue',
    path: onServer('files'),
    shows: 'server.properties',
    before: (page) => page.route(/\/daemon\/server\/[^/]+\/(uploads|file\/world-backup)/, () => undefined),
    steps: async (page) => {
      await page
        .locator('input[type="file"]')
        .first()
        .setInputFiles({ name: 'world-backup.zip', mimeType: 'application/zip', buffer: Buffer.alloc(1_000_000) })
      await page.getByText('world-backup.zip').filter({ visible: true }).first().waitFor()
    },
  },
  { name: 'create-backup', path: onServer('backups'), shows: 'No backups yet', steps: opening('Create backup') },
  {
    name: 'backup-retention',
    path: onServer('backups'),
    before: fakeBackups,
    shows: 'Before a restore',
    steps: async (page) => {
      await opening('Retention')(page)
      // Without it one more backup is deleted.
      await page.getByRole('textbox', { name: 'Weekly' }).fill('0')
    },
  },
  {
    name: 'clone-server',
    path: onServer('backups'),
    before: fakeBackups,
    shows: 'Before a restore',
    steps: onBackup('First', 'Clone'),
  },
  {
    name: 'player-kick',
    path: onServer('players'),
    before: fakePlayers,
    shows: 'Steve',
    steps: opening('Kick: Steve'),
  },
  {
    name: 'player-actions',
    path: onServer('players'),
    before: fakePlayers,
    shows: 'Steve',
    steps: async (page) => {
      await click('More actions for Steve')(page)
      await page.getByRole('menuitem', { name: 'Ban' }).waitFor()
    },
  },
  { name: 'backups-targets', path: onServer('backups'), before: fakeCopies, shows: /Not copied to NAS/ },
  {
    name: 'server-targets',
    path: onServer('backups'),
    before: fakeCopies,
    shows: /Not copied to NAS/,
    steps: opening('Targets'),
  },
  {
    name: 'backup-targets',
    path: '/node/0',
    before: fakeTargets,
    shows: /refused the login/,
    steps: (page) => page.getByText('NAS in the cellar').scrollIntoViewIfNeeded(),
  },
  {
    name: 'add-target',
    path: '/node/0',
    before: fakeTargets,
    shows: /refused the login/,
    steps: opening('Add target'),
  },
  {
    name: 'edit-target',
    path: '/node/0',
    before: fakeTargets,
    shows: /refused the login/,
    steps: opening(/^Edit Object storage/),
  },
  {
    name: 'restore-backup',
    path: onServer('backups'),
    before: fakeBackups,
    shows: 'Before a restore',
    steps: opening(/^Restore Before the update/),
  },
  {
    name: 'restore-files',
    path: onServer('backups'),
    before: fakeBackups,
    shows: 'Before a restore',
    steps: async (page) => {
      await onBackup('First', 'Restore files')(page)
      await page.getByRole('checkbox', { name: 'Select server.properties' }).check()
    },
  },
  {
    name: 'restart-countdown',
    path: onServer('console'),
    before: fakePlayers,
    shows: 'Could not load chunk',
    steps: async (page) => {
      await click(/^More( ways to restart)?$/)(page)
      await page.getByRole('menuitem', { name: 'Restart with a countdown…' }).click()
      await page.getByRole('dialog', { name: 'Restart with a countdown' }).waitFor()
    },
  },
  { name: 'add-task', path: onServer('tasks'), shows: 'Nightly restart', steps: opening('Add task') },
  {
    name: 'task-condition',
    path: onServer('tasks'),
    shows: 'Nightly restart',
    steps: async (page) => {
      await opening('Add task')(page)
      await page.getByRole('textbox', { name: 'Only if' }).fill("players == 0 && quietMinutes >= 30 || os == 'linux'")
    },
  },
  {
    name: 'template-player-actions',
    path: '/template/openttd',
    shows: 'Add variable',
    part: (page) => page.getByRole('combobox', { name: 'Add action' }),
  },
  { name: 'add-server-user', path: onServer('users'), shows: 'viewer', steps: click('Add user') },
  { name: 'create-client', path: '/account', shows: 'Sessions', steps: opening('Create client') },
  {
    name: 'client-credentials',
    path: '/account',
    shows: 'Sessions',
    before: (page) =>
      page.route('**/api/self/oauth2', async (route) => {
        const json = {
          id: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
          secret: 'a-secret-that-is-long-enough-to-wrap-at-320-px',
        }
        if (route.request().method() === 'POST') await route.fulfill({ json })
        else await route.continue()
      }),
    steps: async (page) => {
      await opening('Create client')(page)
      const form = page.getByRole('dialog').filter({ visible: true })
      await form.getByLabel('Name').fill('Backup')
      await form.getByRole('button', { name: 'Create client' }).click()
      await page.getByText('Copy the secret now', { exact: false }).waitFor()
    },
  },
  {
    name: 'two-factor-setup',
    path: '/account',
    shows: 'Sessions',
    steps: async (page) => {
      await click('Set up two-factor authentication')(page)
      const code = page.getByText('Scan this with your authenticator app')
      const password = page.getByRole('dialog').getByLabel('Current password', { exact: true })
      await code.or(password).waitFor()
      // Ten minutes after the sign-in.
      if (await password.isVisible()) {
        await password.fill(firstAdmin.password)
        await click('Continue')(page)
      }
      await code.waitFor()
    },
  },
  { name: 'deploy-node', path: ({ node }) => `/node/${node}`, shows: 'Frankfurt 2', steps: opening('Connect') },
  { name: 'wizard-target', path: '/addserver', shows: 'OpenTTD', steps: wizard(1) },
  { name: 'wizard-settings', path: '/addserver', shows: 'OpenTTD', steps: wizard(2) },
  { name: 'wizard-review', path: '/addserver', shows: 'OpenTTD', steps: wizard(3) },
]

/** Every screen, state and dialog. */
export const screens: readonly Screen[] = [...pages, ...states, ...dialogs]
