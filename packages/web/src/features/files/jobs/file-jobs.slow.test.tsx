import { cancelFileJob, type FileJob, getFile, putFile } from '@innkeeper/contract/servers/files'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { hideTab } from '../../../testing/tab-visibility.ts'
import { setTabTitle } from '../../../theme/browser-tab.ts'
import { button, fakeDisk, file, inDialog, open, plugins, row } from '../testing/disk.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('Shift selects a range, the bar shows its size, and all of it is deleted after a question with the names', async () => {
  const disk = fakeDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')

  await user.click(screen.getByRole('checkbox', { name: 'Select data' }))
  await user.keyboard('{Shift>}')
  await user.click(screen.getByRole('checkbox', { name: 'Select pack.zip' }))
  await user.keyboard('{/Shift}')
  expect(screen.getByText('6 selected')).toBeDefined()
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Delete' }))
  const dialog = await inDialog('Delete 6 items?')
  const listed = dialog.getAllByRole('listitem').map((one) => one.textContent)
  await user.click(dialog.getByRole('button', { name: 'Delete 6 items' }))

  await waitFor(() => expect(disk.startedJobs()).toHaveLength(1))
  expect(listed).toEqual(['data', 'claims.yml', 'config.yml', 'huge.log', 'icon.png', 'and 1 more'])
  expect(disk.startedJobs()[0]).toMatchObject({ kind: 'delete', paths: expect.arrayContaining(['plugins/data']) })
})

test('an archive of a selection has the name of the folder, with a number when that is taken', async () => {
  const disk = fakeDisk({ ...plugins, plugins: [...plugins.plugins, file('plugins.zip')] })
  const { user } = await open(disk)
  await row('config.yml')

  await user.click(screen.getByRole('checkbox', { name: 'Select config.yml' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select claims.yml' }))
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Archive' }))
  await user.click(await button('Archive data'))

  await waitFor(() => expect(disk.startedJobs()).toHaveLength(2))
  expect(disk.startedJobs()).toEqual([
    { kind: 'archive', paths: ['plugins/claims.yml', 'plugins/config.yml'], destination: 'plugins/plugins (2).zip' },
    { kind: 'archive', paths: ['plugins/data'], destination: 'plugins/data.zip' },
  ])
})

test('a job shows its progress, can be canceled, and the list is refetched when it ends', async () => {
  const disk = fakeDisk(plugins)
  const { user, panel } = await open(disk)
  await row('config.yml')
  await user.click(await button('Archive data'))

  disk.updateJobs({ bytes: 30, totalBytes: 120 })
  expect(await screen.findByText(/25%/)).toBeDefined()
  expect(screen.getByRole('progressbar', { name: 'Archiving data' }).getAttribute('aria-valuenow')).toBe('25')
  const lists = panel.requests(getFile).length
  await user.click(await button('Cancel'))
  disk.updateJobs({ state: 'cancelled' })

  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull())
  expect(panel.requests(cancelFileJob)).toHaveLength(1)
  await waitFor(() => expect(panel.requests(getFile).length).toBeGreaterThan(lists))
  expect(screen.getAllByRole('status').map((one) => one.textContent)).toContain('Archive canceled')
})

test('skipped files of an archive are listed', async () => {
  const disk = fakeDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')

  await user.click(await button('Extract pack.zip'))
  const dialog = await inDialog('Extract pack.zip')
  await user.click(dialog.getByRole('button', { name: 'Extract' }))
  await screen.findByRole('progressbar')
  disk.updateJobs({ state: 'done', entries: 312, skipped: ['bin/sh', 'dev/null'], skippedCount: 2 })

  expect(await screen.findByText('Extracted 312 files, 2 skipped', { selector: 'div' })).toBeDefined()
  await user.click(screen.getByText('Show skipped files'))
  expect(screen.getByText('dev/null')).toBeDefined()
  expect(disk.startedJobs()).toEqual([
    { kind: 'extract', path: 'plugins/pack.zip', destination: 'plugins/pack', existing: 'keepBoth' },
  ])
})

test('an archive is extracted to a new folder unless another one is selected', async () => {
  const disk = fakeDisk(plugins)
  const { user, panel } = await open(disk)
  await row('config.yml')

  await user.click(await button('Extract pack.zip'))
  const dialog = await inDialog('Extract pack.zip')
  expect(dialog.getByRole('radio', { name: 'New folder pack' })).toHaveProperty('checked', true)
  await user.click(dialog.getByRole('button', { name: 'Extract' }))

  await waitFor(() => expect(disk.startedJobs()).toHaveLength(1))
  expect(panel.requests(putFile)[0]?.path).toBe('/proxy/daemon/server/deadbeef/file/plugins/pack')
  expect(disk.startedJobs()[0]).toMatchObject({ kind: 'extract', destination: 'plugins/pack' })
})

test.for([
  ['Keep both', 'keepBoth'],
  ['Skip', 'skip'],
  ['Replace', 'replace'],
])('an archive extracted beside its files can %s', async ([label = '', existing]) => {
  const disk = fakeDisk(plugins)
  const { user, panel } = await open(disk)
  await row('config.yml')

  await user.click(await button('Extract pack.zip'))
  const dialog = await inDialog('Extract pack.zip')
  await user.click(dialog.getByText('This folder'))
  // Nothing is replaced unless the user says so.
  expect(dialog.getByRole('radio', { name: 'Keep both' })).toHaveProperty('checked', true)
  await user.click(dialog.getByText(label))
  await user.click(dialog.getByRole('button', { name: 'Extract' }))

  await waitFor(() => expect(disk.startedJobs()).toHaveLength(1))
  expect(panel.requests(putFile)).toEqual([])
  expect(disk.startedJobs()[0]).toMatchObject({ kind: 'extract', destination: 'plugins', existing })
})

test('the menu button of a row acts on that row, regardless of the selection', async () => {
  const disk = fakeDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')
  for (const name of ['claims.yml', 'config.yml', 'pack.zip']) {
    await user.click(screen.getByRole('checkbox', { name: `Select ${name}` }))
  }

  await user.click(await button('More actions for pack.zip'))
  const entries = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)
  await user.click(screen.getByRole('menuitem', { name: 'Delete' }))

  expect(entries).toEqual(expect.arrayContaining(['Rename', 'Extract', 'Delete']))
  expect(await screen.findByRole('dialog', { name: 'Delete pack.zip?' })).toBeDefined()
})

test('a right click on a selected row shows how many items each entry is about', async () => {
  const disk = fakeDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')
  for (const name of ['claims.yml', 'config.yml', 'pack.zip']) {
    await user.click(screen.getByRole('checkbox', { name: `Select ${name}` }))
  }

  fireEvent.contextMenu(await row('pack.zip'), { clientX: 10, clientY: 10 })
  const entries = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)

  expect(entries).toEqual(['Download 3 items', 'Move 3 items', 'Copy 3 items', 'Archive 3 items', 'Delete 3 items'])
})

test('a failed job shows the reason and can be retried', async () => {
  const disk = fakeDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')
  await user.click(await button('Archive data'))
  await screen.findByRole('progressbar')

  disk.updateJobs({ state: 'failed', error: { code: 'ErrDisk', metadata: { reason: 'no space left' } } })
  expect(
    await screen.findByText('Could not archive data. Could not write to disk: no space left', {
      selector: 'div',
    }),
  ).toBeDefined()
  await user.click(await button('Try again'))

  await waitFor(() => expect(disk.startedJobs()).toHaveLength(2))
})

test('jobs of another tab are shown, and only those seen running are reported when they end', async () => {
  const disk = fakeDisk(plugins)
  const job: FileJob = {
    id: 'theirs',
    kind: 'copy',
    path: 'world',
    paths: 1,
    state: 'running',
    entries: 1_204,
    bytes: 0,
    startedAt: '2026-11-20T20:00:00Z',
  }
  disk.addJob({ ...job, id: 'old', state: 'failed', error: { code: 'ErrDisk', metadata: { reason: 'x' } } })
  disk.addJob(job)

  await open(disk)

  expect(await screen.findByText('Copying world')).toBeDefined()
  expect(screen.getByText('1,204 entries')).toBeDefined()
  expect(screen.queryByText(/Could not copy/)).toBeNull()
})

test('a taken name at the destination asks: replace, keep both or skip', async () => {
  const disk = fakeDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')
  await user.click(screen.getByRole('checkbox', { name: 'Select config.yml' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select claims.yml' }))

  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Move' }))
  const dialog = await inDialog('Move 2 items')
  expect(dialog.getByText('Already in this folder')).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Up' }))
  await user.click(await dialog.findByRole('button', { name: 'world' }))
  await waitFor(() => expect(dialog.getByRole('textbox', { name: 'To' })).toHaveProperty('value', '/world'))
  await dialog.findByText('No folders here')
  await user.click(dialog.getByRole('button', { name: 'Move here' }))
  expect(await dialog.findByText('config.yml already exists in this folder.')).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Keep both' }))

  await waitFor(() => expect(disk.startedJobs()).toHaveLength(2))
  expect(disk.startedJobs()).toEqual([
    { kind: 'move', paths: ['plugins/claims.yml'], destination: 'world', existing: 'refuse' },
    { kind: 'move', paths: ['plugins/config.yml'], destination: 'world', existing: 'keepBoth' },
  ])
})

test.each([
  [{ state: 'done' }, /^Created data\.zip · Lobby$/],
  [{ state: 'failed', error: { code: 'ErrDisk', metadata: { reason: 'full' } } }, /^Could not archive data.* · Lobby$/],
] as const)('a job that ends in a background tab says so in its title: %o', async (change, title) => {
  const disk = fakeDisk(plugins)
  const { user } = await open(disk)
  setTabTitle('Lobby')
  await row('config.yml')
  await user.click(await button('Archive data'))
  await screen.findByRole('progressbar')

  hideTab()
  disk.updateJobs(change)

  await waitFor(() => expect(document.title).toMatch(title))
})
