import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getFile } from '@innkeeper/contract/servers/files'
import {
  deleteTrashEntry,
  emptyTrash,
  getTrash,
  restoreTrashEntry,
  type TrashEntry,
} from '@innkeeper/contract/servers/trash'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { button, fakeDisk, inDialog, open, plugins, row } from '../testing/disk.tsx'

const entry: TrashEntry = {
  id: '0123456789abcdef',
  path: '/plugins/old.jar',
  paths: 3,
  isFolder: false,
  bytes: 2_000_000,
  reason: 'extracted',
  author: 'ann',
  discardedAt: '2026-11-20T20:00:00Z',
  expiresAt: '2026-11-27T20:00:00Z',
}

/** A disk with a trash. */
function withTrash(entries: readonly TrashEntry[]) {
  const disk = fakeDisk(plugins)
  let rest = [...entries]
  const all = { maxBytes: 10 * 1024 ** 3, days: 7 }
  disk.panel.respond(getTrash, () => ({ entries: rest, bytes: 0, ...all }))
  for (const endpoint of [restoreTrashEntry, deleteTrashEntry, emptyTrash])
    disk.panel.respond(endpoint, () => {
      rest = []
      return undefined
    })
  return disk
}

test('a deletion can be undone from its message', async () => {
  const disk = withTrash([])
  const { user, panel } = await open(disk)
  await row('config.yml')

  await user.click(await button('More actions for config.yml'))
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }))
  const dialog = await inDialog('Delete config.yml?')
  expect(dialog.getByText('You can restore deleted files from the trash.')).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Delete file' }))
  await waitFor(() => expect(disk.startedJobs()).toHaveLength(1))
  disk.updateJobs({ state: 'done', trash: [entry.id] })
  const lists = panel.requests(getFile).length
  await user.click(await screen.findByRole('button', { name: 'Undo' }))

  expect(await screen.findByText('Restored config.yml')).toBeDefined()
  expect(panel.requests(restoreTrashEntry).map(({ path }) => path)).toEqual([
    `/proxy/daemon/server/deadbeef/trash/${entry.id}/restore`,
  ])
  expect(panel.requests(getFile).length).toBeGreaterThan(lists)
})

test('the undo of several deletions counts them', async () => {
  const disk = withTrash([])
  const { user } = await open(disk)
  await user.click(await screen.findByRole('checkbox', { name: 'Select config.yml' }))
  await user.keyboard('{Delete}')
  await user.click(await screen.findByRole('button', { name: 'Delete file' }))
  await waitFor(() => expect(disk.startedJobs()).toHaveLength(1))

  disk.updateJobs({ state: 'done', trash: [entry.id], paths: 3 })
  await user.click(await screen.findByRole('button', { name: 'Undo' }))

  expect(await screen.findByText('Restored 3 items')).toBeDefined()
})

test('the trash shows what was discarded, why and by whom, and restores it', async () => {
  const { user, panel } = await open(withTrash([entry]))
  await row('config.yml')

  await user.click(await button('Trash'))
  const dialog = await inDialog('Trash')
  const item = within(await dialog.findByRole('listitem'))
  expect(item.getByText('old.jar')).toBeDefined()
  for (const text of [/and 2 more/, /Replaced by extracting an archive/, / Mi?B/])
    expect(item.getByText(text)).toBeDefined()
  expect(item.getByText('ann')).toBeDefined()
  await user.click(item.getByRole('button', { name: 'Restore old.jar' }))

  expect(await dialog.findByText('The trash is empty.')).toBeDefined()
  expect(panel.requests(restoreTrashEntry)).toHaveLength(1)
})

test('an existing file is kept or replaced, as the user decides', async () => {
  const disk = withTrash([entry])
  const answered: unknown[] = []
  disk.panel.respond(restoreTrashEntry, ({ body }) => {
    const { existing } = body as { existing: string }
    answered.push(existing)
    return existing === 'refuse' ? new Refusal('ErrFileExists', { path: '/plugins/data.yml' }) : undefined
  })
  const { user } = await open(disk)
  await row('config.yml')
  await user.click(await button('Trash'))
  const dialog = await inDialog('Trash')
  const ask = async () => {
    await user.click(await dialog.findByRole('button', { name: 'Restore old.jar' }))
    return await inDialog('Restore old.jar')
  }

  const question = await ask()
  expect(question.getByText(/^data.yml already exists in this folder\..*is moved to the trash\.$/)).toBeDefined()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Restore old.jar' })).toBeNull())
  expect(screen.getByRole('dialog', { name: 'Trash' })).toBeDefined()
  expect(answered).toEqual(['refuse'])

  for (const [name, existing] of [
    ['Replace', 'replace'],
    ['Keep both', 'keepBoth'],
  ] as const) {
    await user.click((await ask()).getByRole('button', { name }))
    await waitFor(() => expect(answered.at(-1)).toBe(existing))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Restore old.jar' })).toBeNull())
  }
})

test('entries are deleted permanently after a question', async () => {
  const { user, panel } = await open(withTrash([entry]))
  await row('config.yml')
  await user.click(await button('Trash'))
  const dialog = await inDialog('Trash')

  await user.click(await dialog.findByRole('button', { name: 'Delete old.jar' }))
  const question = await inDialog('Delete old.jar?')
  await user.click(question.getByRole('button', { name: 'Delete permanently' }))

  await waitFor(() => expect(panel.requests(deleteTrashEntry)).toHaveLength(1))
})

test('the trash is emptied after a question', async () => {
  const { user, panel } = await open(withTrash([entry]))
  await row('config.yml')
  await user.click(await button('Trash'))
  const dialog = await inDialog('Trash')

  await user.click(await dialog.findByRole('button', { name: 'Empty trash' }))
  const question = await inDialog('Empty trash')
  await user.click(question.getByRole('button', { name: 'Empty trash' }))

  await waitFor(() => expect(panel.requests(emptyTrash)).toHaveLength(1))
})
