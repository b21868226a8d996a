import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type FileJob, putFile, startFileJob } from '@innkeeper/contract/servers/files'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { button, fakeDisk, inDialog, open, plugins, row } from '../testing/disk.tsx'

const question = () => screen.queryByRole('dialog', { name: 'Leave without saving?' })
const isClosed = (title: string) => waitFor(() => expect(screen.queryByRole('dialog', { name: title })).toBeNull())
const refusal = new Refusal('ErrServiceNotAvailable')
const startedJob: FileJob = {
  id: 'job',
  kind: 'move',
  path: 'plugins/claims.yml',
  paths: 1,
  state: 'running',
  entries: 0,
  bytes: 0,
  startedAt: '2026-11-20T20:00:00Z',
}

async function openExtract() {
  const disk = fakeDisk(plugins)
  const opened = await open(disk)
  await row('config.yml')
  await opened.user.click(await button('Extract pack.zip'))
  return { ...opened, disk, dialog: await inDialog('Extract pack.zip') }
}

/** Opens the dialog that moves two files, one of which exists in `world`. */
async function openMove() {
  const disk = fakeDisk(plugins)
  const opened = await open(disk)
  await row('config.yml')
  await opened.user.click(screen.getByRole('checkbox', { name: 'Select config.yml' }))
  await opened.user.click(screen.getByRole('checkbox', { name: 'Select claims.yml' }))
  await opened.user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Move' }))
  const dialog = await inDialog('Move 2 items')
  return { ...opened, disk, dialog, destination: dialog.getByRole<HTMLInputElement>('textbox', { name: 'To' }) }
}

test('an archive whose job is refused stays in its dialog, and is extracted into the same folder afterwards', async () => {
  const { user, panel, dialog, disk } = await openExtract()
  const answers = [refusal, undefined]
  panel.respond(startFileJob, () => answers.shift() ?? startedJob)

  await user.click(dialog.getByRole('button', { name: 'Extract' }))
  await dialog.findByRole('alert')
  await user.click(dialog.getByRole('button', { name: 'Extract' }))

  await isClosed('Extract pack.zip')
  expect(panel.requests(putFile)).toHaveLength(1)
  expect(disk.startedJobs()).toEqual(Array(2).fill(expect.objectContaining({ destination: 'plugins/pack' })))
})

test('Ctrl+S extracts an archive', async () => {
  const { user, disk } = await openExtract()

  await user.keyboard('{Control>}s{/Control}')

  await isClosed('Extract pack.zip')
  expect(disk.startedJobs()).toHaveLength(1)
})

test('the choices of a click each are dropped without a question', async () => {
  const extract = await openExtract()
  await extract.user.click(extract.dialog.getByText('This folder'))
  await extract.user.click(extract.dialog.getByRole('button', { name: 'Cancel' }))
  await isClosed('Extract pack.zip')

  expect(question()).toBeNull()
})

test('a folder that was clicked is dropped without a question', async () => {
  const { user, dialog, destination } = await openMove()

  await user.click(dialog.getByRole('button', { name: 'Up' }))
  await waitFor(() => expect(destination.value).toBe('/'))
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))

  await isClosed('Move 2 items')
  expect(question()).toBeNull()
})

test('a destination that was typed is not dropped without a question', async () => {
  const { user, dialog, destination } = await openMove()
  await user.clear(destination)
  await user.type(destination, '/world')

  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  const asked = await screen.findByRole('dialog', { name: 'Leave without saving?' })
  await user.click(within(asked).getByRole('button', { name: 'Cancel' }))
  expect(destination.value).toBe('/world')
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }))

  await isClosed('Move 2 items')
})

test('Ctrl+S moves to a destination that was typed, once it is listed', async () => {
  const { user, dialog, destination, disk } = await openMove()
  await user.clear(destination)
  await user.type(destination, '/{Enter}')
  await dialog.findByRole('button', { name: 'world' })
  await user.clear(destination)
  await user.type(destination, '/plugins/data/')

  await user.keyboard('{Control>}s{/Control}')
  await dialog.findByText('No folders here')
  expect(disk.startedJobs()).toEqual([])
  await user.keyboard('{Control>}s{/Control}')

  await isClosed('Move 2 items')
  expect(disk.startedJobs()).toEqual([
    {
      kind: 'move',
      paths: ['plugins/claims.yml', 'plugins/config.yml'],
      destination: 'plugins/data',
      existing: 'refuse',
    },
  ])
})

test('jobs that were started before one is refused are not started again', async () => {
  const { user, panel, dialog, destination, disk } = await openMove()
  const answers = [undefined, refusal]
  panel.respond(startFileJob, () => answers.shift() ?? startedJob)
  await user.clear(destination)
  await user.type(destination, '/world{Enter}')
  await dialog.findByText('No folders here')

  await user.click(dialog.getByRole('button', { name: 'Move here' }))
  await user.click(await dialog.findByRole('button', { name: 'Replace' }))
  await dialog.findByRole('alert')
  await user.click(dialog.getByRole('button', { name: 'Move here' }))

  await isClosed('Move 2 items')
  const config = expect.objectContaining({ paths: ['plugins/config.yml'], existing: 'replace' })
  expect(disk.startedJobs()).toEqual([expect.objectContaining({ paths: ['plugins/claims.yml'] }), config, config])
})
