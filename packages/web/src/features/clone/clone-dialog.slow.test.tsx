import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { listBackups } from '@innkeeper/contract/backups/backups'
import { type Clone, cancelClone, cloneServer, getClone } from '@innkeeper/contract/clones/clones'
import { getData } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { findFreePorts } from '@innkeeper/contract/nodes/node-ports'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { aServer } from '../../testing/samples.ts'
import { CloneDialog } from './clone-dialog.tsx'

const id = '0badf00d'

async function openDialog(clone: Partial<Clone> = {}, failing: readonly Endpoint[] = []) {
  const panel = new FakePanel()
  panel.respond(listBackups, [])
  panel.respond(getData, { data: { port: { value: 25_565, display: 'Port' }, ip: { value: '0.0.0.0' } }, groups: [] })
  panel.respond(findFreePorts, { hasRanges: true, ports: [{ address: '192.0.2.1', port: 30_000 }], isChecked: true })
  const started: Clone = { id, source: 'deadbeef', state: 'backup' }
  panel.respond(cloneServer, () => started)
  const shown: Clone = { ...started, state: 'copy', bytes: 1, totalBytes: 2, ...clone }
  panel.respond(getClone, () => shown)
  panel.respond(cancelClone, undefined)
  for (const endpoint of failing) panel.respond(endpoint, new Refusal('ErrServiceNotAvailable'))
  let isClosed = false
  const opened = await openPart(
    <CloneDialog
      server={aServer('deadbeef', 'Lobby')}
      canBackUp
      canEditUsers
      onClose={() => {
        isClosed = true
      }}
    />,
    { panel },
  )
  return { ...opened, isClosed: () => isClosed }
}

const cloneButton = () => screen.findByRole('button', { name: 'Clone' })

test('a free port is filled in and left to the panel, and the clone is sent', async () => {
  const { user, panel } = await openDialog()
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Port' }).value).toBe('30000'))
  await user.click(await screen.findByRole('switch', { name: 'Also copy user permissions' }))

  await user.click(await cloneButton())

  await waitFor(() =>
    expect(panel.requests(cloneServer).at(-1)?.body).toMatchObject({
      name: 'Lobby 2',
      users: true,
      data: {},
    }),
  )
  expect(await screen.findByText('Copying files')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(panel.requests(cancelClone)).toHaveLength(1))
})

test('a changed port is sent', async () => {
  const { user, panel } = await openDialog()
  const port = await screen.findByRole('textbox', { name: 'Port' })
  await user.clear(port)
  await user.type(port, '31000')

  await user.click(await cloneButton())

  await waitFor(() =>
    expect(panel.requests(cloneServer).at(-1)?.body).toMatchObject({ data: { port: { value: 31_000 } } }),
  )
})

test('a name that is taken is shown at the field', async () => {
  const { user, panel } = await openDialog()
  panel.respond(cloneServer, () => new Refusal('ErrDuplicateServerName'))

  await user.click(await cloneButton())

  expect(await screen.findByText('A server with this name already exists')).toBeTruthy()
})

test('a finished clone is opened', async () => {
  const done = await openDialog({ state: 'done' })
  await done.user.click(await cloneButton())

  await waitFor(() => expect(done.path()).toBe(`/server/${id}`))
  expect(done.isClosed()).toBe(true)
})

test('a failed clone shows why', async () => {
  const { user } = await openDialog({ state: 'failed', error: { code: 'ErrServiceNotAvailable', msg: '' } })

  await user.click(await cloneButton())

  expect(await screen.findByText(/^Could not clone the server\. /)).toBeTruthy()
})

test.each([
  [listBackups, [], 'Could not load the backups'],
  [listNodeChoices, [], 'Could not load the nodes'],
  [getData, { data: {}, groups: [] }, 'Could not load the settings'],
  [findFreePorts, { hasRanges: true, ports: [], isChecked: true }, 'Could not load the ports'],
])('a query of the form that fails says so and can be repeated', async (endpoint: Endpoint, response, title) => {
  const { user, panel } = await openDialog({}, [endpoint])
  const failure = await screen.findByRole('alert', {}, { timeout: 5_000 })
  expect(failure.textContent).toContain(title)
  panel.respond(endpoint, response as never)

  await user.click(screen.getByRole('button', { name: 'Try again' }))

  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
})
