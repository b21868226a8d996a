import {
  cloneServer,
  dismissFailedClone,
  type FailedClone,
  getClone,
  listFailedClones,
} from '@innkeeper/contract/clones/clones'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { FailedClones } from './failed-clones.tsx'

const lobby: FailedClone = {
  id: '0badf00d',
  source: { id: 'deadbeef', name: 'Lobby' },
  request: { name: 'Lobby 2', node: 0, users: true, data: { port: { value: 31_000 } } },
  error: { code: 'ErrBackupNotFound' },
}
const gone: FailedClone = {
  id: '0badf00e',
  source: { id: 'deadbeee' },
  request: { name: 'Arena 2', node: 0, users: false, data: {} },
  error: { code: 'ErrServerNotFound' },
}

async function openNotices(source?: string) {
  const panel = new FakePanel()
  let failed = [lobby, gone]
  panel.respond(listFailedClones, () => failed)
  panel.respond(cloneServer, () => {
    failed = [gone]
    return { id: '0badf00f', source: 'deadbeef', state: 'copy' as const }
  })
  panel.respond(getClone, { id: '0badf00f', source: 'deadbeef', state: 'copy' })
  panel.respond(dismissFailedClone, () => {
    failed = [gone]
    return undefined
  })
  return await openPart(<FailedClones {...(source !== undefined && { source })} />, { panel })
}

test('a failed clone shows why and what happened to the new server, until it is closed', async () => {
  const { user, panel } = await openNotices('deadbeef')
  const text = /^Cloning Lobby to Lobby 2 failed\. The incomplete server was deleted\. This backup no longer exists/
  expect((await screen.findByRole('alert')).textContent).toMatch(text)

  await user.click(screen.getByRole('button', { name: 'Close' }))

  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  expect(panel.requests(dismissFailedClone)).toHaveLength(1)
})

test('a failed clone is repeated with the same request, and its progress is shown', async () => {
  const { user, panel } = await openNotices()
  // The source of the other one was deleted.
  expect(await screen.findAllByRole('alert')).toHaveLength(2)

  await user.click(screen.getByRole('button', { name: 'Try again' }))

  expect(await screen.findByText('Copying files')).toBeTruthy()
  expect(panel.requests(cloneServer).at(-1)).toMatchObject({ body: lobby.request })
  await waitFor(() => expect(screen.getAllByRole('alert', { hidden: true })).toHaveLength(1))
})
