import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { type BackupRetention, keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { getServerBackupTargets, putServerBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import {
  type Backup,
  type BackupCopy,
  type BackupJob,
  cancelBackupJob,
  copyBackups,
  createBackup,
  createBackupDownload,
  deleteBackup,
  editBackup,
  getBackupRetention,
  listBackupFiles,
  listBackupJobs,
  listBackups,
  putBackupRetention,
  restoreBackup,
  searchBackupFiles,
  verifyBackup,
} from '@innkeeper/contract/backups/backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { createTask, deleteTask, listTasks, type Task, type TaskView } from '@innkeeper/contract/servers/tasks'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { hideTab } from '../../testing/tab-visibility.ts'
import { setTabTitle } from '../../theme/browser-tab.ts'
import { BackupsPanel } from './backups-panel.tsx'

function aBackup(more: Partial<Backup> = {}): Backup {
  return {
    id: '0123456789abcdef',
    name: 'before the update',
    createdAt: '2026-11-20T03:00:00.000Z',
    origin: 'user',
    author: 'ada',
    server: 'paused',
    files: 3,
    bytes: 3 * 1024 ** 2,
    newBytes: 1024,
    durationMs: 4_000,
    isLocked: false,
    ...more,
  }
}

function aJob(more: Partial<BackupJob> = {}): BackupJob {
  return { id: 'j', type: 'create', state: 'running', name: '', startedAt: '2026-11-21T03:00:00.000Z', ...more }
}

async function openBackups(
  backups: readonly Backup[],
  {
    jobs = [],
    permissions,
    panel = new FakePanel(),
  }: { jobs?: readonly BackupJob[]; permissions?: readonly RequiredPermission[]; panel?: FakePanel } = {},
) {
  panel.respond(listBackups, [...backups])
  panel.respond(listBackupJobs, [...jobs])
  panel.respond(createBackup, () => aJob({ state: 'waiting' }))
  panel.respond(restoreBackup, () => aJob({ type: 'restore' }))
  panel.respond(verifyBackup, () => aJob({ type: 'verify' }))
  panel.respond(editBackup, () => aBackup())
  panel.respond(deleteBackup, undefined)
  panel.respond(cancelBackupJob, undefined)
  panel.respond(getBackupRetention, {
    retention: { last: 0, daily: 7, weekly: 0, monthly: 0, yearly: 0, maxBytes: 0 },
    timezone: 'Europe/Berlin',
  })
  panel.respond(putBackupRetention, undefined)
  panel.respond(getServerBackupTargets, { targets: [{ id: '0a0a0a0a', name: 'NAS' }], defaults: ['local'] })
  panel.respond(putServerBackupTargets, undefined)
  panel.respond(listBackupFiles, [
    { name: 'level.dat', isFile: true, size: 10 },
    { name: 'world', isFile: false },
  ])
  const can = (permission: RequiredPermission) => permissions?.includes(permission) ?? true
  const opened = await openPart(<BackupsPanel server="deadbeef" can={can} />, { panel })
  await screen.findByRole('heading', { name: 'Backups' })
  return opened
}

test('a switch creates a task that backs the server up every day, and deletes it', async () => {
  const tasks = new Map<string, TaskView>()
  const panel = new FakePanel()
  panel.respond(listTasks, () => ({ tasks: Object.fromEntries(tasks), timezone: 'Europe/Berlin' }))
  panel.respond(createTask, ({ body }) => {
    tasks.set('a', { isRunning: false, version: 'v1', ...(body as Task) })
    return { id: 'a' }
  })
  panel.respond(deleteTask, () => void tasks.delete('a'))
  const { user } = await openBackups([], { panel })
  const daily = await screen.findByRole('switch', { name: /^Back up every day at 4:00/ })

  await user.click(daily)
  await waitFor(() => expect(screen.getByRole('switch', { checked: true })).toBeTruthy())
  const created = panel.requests(createTask)[0]?.body
  await waitFor(() => expect((daily as HTMLInputElement).disabled).toBe(false))
  await user.click(daily)

  await waitFor(() => expect(panel.requests(deleteTask)).toHaveLength(1))
  expect(created).toMatchObject({ cronSchedule: '0 4 */1 * ?', operations: [{ type: 'backup' }] })
})

const button = (name: string | RegExp) => screen.findByRole('button', { name })

test('the list shows note, author and warnings of backups', async () => {
  await openBackups([
    aBackup(),
    aBackup({
      id: 'b',
      name: '',
      origin: 'restore',
      server: 'running',
      unreadFiles: 2,
      unreadNames: ['world/r.0'],
      isLocked: true,
    }),
  ])

  const [, first, second] = await screen.findAllByRole('row')
  expect(first?.querySelector('th')?.textContent).toMatch(/by ada$/)
  expect(first?.textContent).toMatch(/before the update3 MiB/)
  expect(second?.textContent).toContain('Before a restore')
  expect(second?.textContent).toContain('The server was running.')
  expect(second?.textContent).toContain('Files that could not be read: 2 (world/r.0, …)')
  expect(within(second as HTMLElement).getByRole('button', { name: 'This backup is locked' })).toBeTruthy()
})

test('the list shows whether a copy of the server became ready, or why none was started', async () => {
  const at = '2026-11-20T04:00:00.000Z'
  const bootError = { code: 'ErrBackupNotBooted' as const, msg: '', metadata: { reason: 'it ended with exit code 1' } }
  await openBackups([
    aBackup({ verification: { at, files: 3, bytes: 3, bootedInMs: 14_200 } }),
    aBackup({ id: 'b', verification: { at, files: 3, bytes: 3, notBooted: 'its definition has no ready pattern' } }),
    aBackup({ id: 'c', verification: { at, files: 3, bytes: 3, bootError } }),
  ])

  const [, ...rows] = (await screen.findAllByRole('row')).map(({ textContent }) => textContent)
  expect(rows).toEqual([
    expect.stringMatching(/Verified on .*\. A test copy started in 14 sec/),
    expect.stringMatching(
      /Verified on .* without starting a test copy: The definition of the backup has no ready pattern/,
    ),
    expect.stringContaining('A copy of the server from this backup did not start: it ended with exit code 1'),
  ])
})

test('a backup is created with a note', async () => {
  const { user, panel } = await openBackups([])
  await user.click(await button('Create backup'))

  await user.type(await screen.findByRole('textbox', { name: 'Note' }), 'nightly')
  await user.click(screen.getByRole('switch', { name: 'Verify with a test restore' }))
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create backup' }))

  await waitFor(() => expect(panel.requests(createBackup).at(-1)?.body).toEqual({ name: 'nightly', verify: true }))
})

const { author: _, ...taskBackup } = aBackup({ id: 'c', name: '', origin: 'task' })

test('the list shows when a backup was verified, or why that failed, and another verification can be started', async () => {
  const { user, panel } = await openBackups([
    // One by a task: it has neither a note nor an author.
    {
      ...taskBackup,
      verification: { at: '2026-11-20T04:00:00.000Z', files: 3, bytes: 3 },
    },
    aBackup({
      id: 'b',
      name: 'broken',
      verification: {
        at: '2026-11-20T04:00:00.000Z',
        files: 0,
        bytes: 0,
        error: { code: 'ErrBackupFailed', msg: '', metadata: { reason: 'the repository is damaged' } },
      },
    }),
  ])

  const [, good, broken] = await screen.findAllByRole('row')
  expect(good?.textContent).toMatch(/Verified on Nov(ember)? 20, 2026/)
  expect(broken?.textContent).toMatch(/Could not verify the backup\..*the repository is damaged/)
  await user.click(await button('More actions for broken'))
  await user.click(await screen.findByRole('menuitem', { name: 'Verify' }))
  await waitFor(() => expect(panel.requests(verifyBackup).at(-1)?.path).toMatch(/verify\/b$/))
})

test('the dialog of retention lists what saving deletes', async () => {
  const { user, panel } = await openBackups([
    aBackup(),
    aBackup({ id: 'b', name: 'older', createdAt: '2026-11-19T03:00:00.000Z' }),
    aBackup({ id: 'c', name: 'oldest', createdAt: '2026-11-18T03:00:00.000Z', isLocked: true }),
  ])
  await user.click(await button('Retention'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Retention' }))
  expect(await dialog.findByText('Deleted when you save: 0')).toBeDefined()

  await user.clear(dialog.getByRole('textbox', { name: 'Daily' }))
  await user.type(dialog.getByRole('textbox', { name: 'Daily' }), '0')
  await user.clear(dialog.getByRole('textbox', { name: 'Newest' }))
  await user.type(dialog.getByRole('textbox', { name: 'Newest' }), '1')

  await user.clear(dialog.getByRole('textbox', { name: 'Size limit (GiB)' }))
  await user.type(dialog.getByRole('textbox', { name: 'Size limit (GiB)' }), '20')

  expect(dialog.getByText('Deleted when you save: 1')).toBeDefined()
  expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('older'),
  ])
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(panel.requests(putBackupRetention).at(-1)?.body).toEqual({
      last: 1,
      daily: 0,
      weekly: 0,
      monthly: 0,
      yearly: 0,
      maxBytes: 20 * 1024 ** 3,
    }),
  )
})

async function openRetention(more: Partial<BackupRetention> = {}) {
  const opened = await openBackups([aBackup()])
  opened.panel.respond(getBackupRetention, {
    retention: { last: 0, daily: 7, weekly: 0, monthly: 0, yearly: 0, maxBytes: 0, ...more },
    timezone: 'Europe/Berlin',
  })
  await opened.user.click(await button('Retention'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Retention' }))
  await dialog.findByText(/^Deleted when you save/)
  return { ...opened, dialog, daily: dialog.getByRole('textbox', { name: 'Daily' }) }
}

test('the dialog of retention asks before it closes with unsaved input', async () => {
  const { user, panel, daily } = await openRetention()
  await user.clear(daily)
  await user.type(daily, '9')

  await user.click(await button('Cancel'))
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Leave without saving?' })).getByRole('button', {
      name: 'Discard changes',
    }),
  )

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(putBackupRetention)).toHaveLength(0)
})

test('the dialog of retention sets the default of the node again', async () => {
  const { user, panel, dialog } = await openRetention()
  expect(dialog.getByText(/The newest backup and backups that failed verification are never deleted/)).toBeDefined()

  await user.click(dialog.getByRole('button', { name: 'Use node default' }))

  await waitFor(() => expect(panel.requests(putBackupRetention).at(-1)?.body).toBe(null))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('the dialog of retention keeps the input when saving fails, and shows why', async () => {
  const { user, panel, dialog, daily } = await openRetention()
  panel.respond(putBackupRetention, new Refusal('ErrBackupFailed', { reason: 'the repository is damaged' }))
  await user.clear(daily)
  await user.type(daily, '9{Enter}')

  expect((await dialog.findByRole('alert')).textContent).toContain('the repository is damaged')
  expect((daily as HTMLInputElement).value).toBe('9')
})

test('saving other rules leaves a size limit that is not a whole number of GiB as it is', async () => {
  const maxBytes = 1.5 * 1024 ** 3
  const { user, panel, dialog, daily } = await openRetention({ maxBytes })
  const limit = dialog.getByRole('textbox', { name: 'Size limit (GiB)' })
  expect((limit as HTMLInputElement).value).toBe('2')
  expect(document.getElementById(limit.getAttribute('aria-describedby') ?? '')?.textContent).toContain(
    '0 means no limit',
  )

  await user.clear(daily)
  await user.type(daily, '9{Enter}')

  await waitFor(() => expect(panel.requests(putBackupRetention).at(-1)?.body).toMatchObject({ daily: 9, maxBytes }))
})

test('no column of the list gets another width while the times in it grow', async () => {
  await openBackups([aBackup()])

  const table = await screen.findByRole('table')
  expect(table.style.getPropertyValue('--table-layout')).toBe('fixed')
})

test('everything is restored after a question, with the definition only for administrators', async () => {
  const { user, panel } = await openBackups([aBackup()])
  await user.click(await button('Restore before the update'))

  await user.click(await screen.findByRole('switch', { name: /definition/ }))
  await user.click(await button('Restore everything'))

  await waitFor(() => expect(panel.requests(restoreBackup).at(-1)?.body).toEqual({ definition: true }))
})

test('files of a backup are filtered, and found in subfolders', async () => {
  const { user, panel } = await openBackups([aBackup()])
  const found = [{ name: 'villages.dat', isFile: true, size: 3, path: '/world' }]
  panel.respond(searchBackupFiles, { found, isComplete: true })
  await user.click(await button('More actions for before the update'))
  await user.click(await screen.findByRole('menuitem', { name: 'Restore files' }))
  await button('world')

  await user.type(screen.getByRole('searchbox', { name: 'Filter files' }), 'VILL')
  expect(await screen.findByText('Nothing matches “VILL”.')).toBeDefined()
  await user.click(await button('Search subfolders'))
  await user.click(await screen.findByRole('checkbox', { name: 'Select world/villages.dat' }))
  await user.click(await button('Restore'))

  const sent = { paths: ['world/villages.dat'] }
  await waitFor(() => expect(panel.requests(restoreBackup).at(-1)?.body).toMatchObject(sent))
})

test('single files are selected and restored beside the current ones', async () => {
  const { user, panel } = await openBackups([aBackup()])
  await user.click(await button('More actions for before the update'))
  await user.click(await screen.findByRole('menuitem', { name: 'Restore files' }))

  await user.click(await button('world'))
  await user.click(await screen.findByRole('checkbox', { name: 'Select level.dat' }))
  await user.click(await screen.findByRole('radio', { name: 'Keep both' }))
  await user.click(await button('Restore'))

  await waitFor(() =>
    expect(panel.requests(restoreBackup).at(-1)?.body).toEqual({ paths: ['world/level.dat'], existing: 'keepBoth' }),
  )
})

test('a running job has its progress and can be canceled; a failed one shows why until it is closed', async () => {
  const { user, panel } = await openBackups([], {
    jobs: [
      aJob({ bytes: 512, totalBytes: 2048 }),
      aJob({
        id: 'k',
        type: 'restore',
        state: 'failed',
        error: { code: 'ErrDisk', msg: '', metadata: { reason: 'the disk is full' } },
      }),
    ],
  })

  expect((await screen.findByRole('progressbar', { name: 'Creating a backup' })).getAttribute('aria-valuenow')).toBe(
    '25',
  )
  expect(screen.getByRole('alert').textContent).toContain('Could not restore the backup.')
  expect(screen.getByRole('alert').textContent).toContain('The disk is full')
  await user.click(await button('Cancel'))
  await waitFor(() => expect(panel.requests(cancelBackupJob)).toHaveLength(1))
  await user.click(await button('Close'))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('without permission to create or restore, backups can only be viewed', async () => {
  const { user } = await openBackups([aBackup()], { permissions: ['viewServerBackups'] })

  await screen.findByText('View only')
  await user.click(await button('More actions for before the update'))

  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
    'Files',
    'Download as zip',
    'Download as tar.zst',
  ])
  expect(screen.queryByRole('button', { name: 'Create backup' })).toBeNull()
})

const copies: Backup['copies'] = [
  { target: 'local', state: 'stored' },
  { target: '0a0a0a0a', state: 'stored' },
]

test('the list says where a backup is, and why it is not on a target', async () => {
  const error = { code: 'ErrBackupFailed', msg: '', metadata: { reason: 'the target does not respond' } }
  await openBackups([
    aBackup({ copies }),
    aBackup({
      id: 'b',
      copies: [
        { target: 'local', state: 'stored' },
        { target: '0a0a0a0a', state: 'failed', error },
      ],
    }),
    aBackup({ id: 'c', copies: [{ target: '0a0a0a0a', state: 'waiting' }] }),
  ])

  const [, first, second, third] = await screen.findAllByRole('row')
  await waitFor(() => expect(first?.textContent).toContain('Stored on: Node folder and NAS'))
  expect(second?.textContent).toMatch(/Stored on: Node folder.*The copy on NAS is missing\. .*does not respond/)
  expect(third?.textContent).toContain('Not copied to NAS yet')
})

test('a backup on several targets is verified and restored from the chosen one', async () => {
  const { user, panel } = await openBackups([aBackup({ copies })])
  await user.click(await button('More actions for before the update'))
  await user.click(await screen.findByRole('menuitem', { name: 'Verify on NAS' }))
  await waitFor(() => expect(panel.requests(verifyBackup).at(-1)?.query.get('target')).toBe('0a0a0a0a'))

  await user.click(await button('Restore before the update'))
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Read from' }), 'NAS')
  await user.click(await button('Restore everything'))

  await waitFor(() =>
    expect(panel.requests(restoreBackup).at(-1)?.body).toEqual({ definition: false, target: '0a0a0a0a' }),
  )
})

test('a missing copy shows why and when it is tried again, and can be tried now', async () => {
  const missing: BackupCopy = {
    target: '0a0a0a0a',
    state: 'failed',
    nextTryAt: '2026-11-20T04:00:00.000Z',
    error: { code: 'ErrBackupFailed', msg: '', metadata: { reason: 'the target does not respond' } },
  }
  const { panel, user } = await openBackups([aBackup({ copies: [{ target: 'local', state: 'stored' }, missing] })])
  panel.respond(copyBackups, () => aJob({ type: 'copy' }))

  expect(await screen.findByText(/The copy on NAS is missing\..*does not respond/)).toBeDefined()
  expect(screen.getByText(/Next attempt/)).toBeDefined()
  await user.click(await button('Try again'))

  await waitFor(() => {
    expect(panel.requests(copyBackups).map(({ path }) => path)).toEqual([
      '/proxy/daemon/server/deadbeef/backup/copy/0a0a0a0a',
    ])
  })
})

test('administrators choose the targets of a server, or those of the node', async () => {
  const { user, panel } = await openBackups([])
  await user.click(await button('Targets'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Backup targets' }))

  await user.click(await dialog.findByRole('switch', { name: "Use the node's targets" }))
  await user.click(dialog.getByRole('checkbox', { name: 'NAS' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(panel.requests(putServerBackupTargets).at(-1)?.body).toEqual(['local', '0a0a0a0a']))
})

test('a locked backup can be unlocked but not deleted', async () => {
  const { user } = await openBackups([aBackup({ isLocked: true })])

  await user.click(await screen.findByRole('button', { name: 'More actions for before the update' }))

  expect((await screen.findByRole('menuitem', { name: 'Delete' })).hasAttribute('disabled')).toBe(true)
  expect(await screen.findByRole('menuitem', { name: 'Unlock' })).toBeTruthy()
})

test.each([
  [{ state: 'done' }, /^Backup .* · Lobby$/],
  [{ state: 'failed' }, /^Could not create the backup.* · Lobby$/],
] as const)('a backup that ends in a background tab says so in its title: %o', async (change, title) => {
  const { panel } = await openBackups([], { jobs: [aJob()] })
  setTabTitle('Lobby')
  await screen.findByRole('progressbar')

  hideTab()
  panel.respond(listBackupJobs, [aJob(change)])

  await waitFor(() => expect(document.title).toMatch(title))
})

test('a backup and its folders are downloaded as zip or tar.zst, files as they are', async () => {
  const { panel, user } = await openBackups([aBackup()])
  panel.respond(createBackupDownload, { url: '#' })
  const chosen = () => panel.requests(createBackupDownload).map(({ body }) => body)

  await user.click(await button('More actions for before the update'))
  await user.click(await screen.findByRole('menuitem', { name: 'Download as tar.zst' }))
  await user.click(await button('More actions for before the update'))
  await user.click(await screen.findByRole('menuitem', { name: 'Restore files' }))
  await user.click(await button('Download world'))
  await user.click(await screen.findByRole('menuitem', { name: 'Download as zip' }))
  await user.click(await button('Download level.dat'))

  await waitFor(() => {
    expect(chosen()).toEqual([
      { path: '', format: 'tar.zst' },
      { path: 'world', format: 'zip' },
      { path: 'level.dat', format: 'zip' },
    ])
  })
})

test.for([
  ['panel', 'Panel default'],
  ['node', 'Node default'],
] as const)('the dialog of retention says where the rules come from: %s', async ([source, text]) => {
  const { panel, user } = await openBackups([])
  panel.respond(getBackupRetention, { retention: { ...keepEverything, daily: 7 }, timezone: 'Europe/Berlin', source })

  await user.click(await button('Retention'))

  expect(await screen.findByText(text)).toBeDefined()
})
