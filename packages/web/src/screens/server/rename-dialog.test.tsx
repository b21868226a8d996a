import { getServer, renameServer } from '@innkeeper/contract/servers/servers'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { RenameDialog } from './rename-dialog.tsx'

const node = { id: 0, name: 'LocalNode', publicHost: 'play.test', publicPort: 8080, sftpPort: 5657, isLocal: true }
const lobby = { id: '1a2b3c4d', name: 'lobby', node, ip: '0.0.0.0', port: 25565, type: 'minecraft', tags: [] }

async function open() {
  const panel = new FakePanel()
  const versions = { current: 'v1' }
  panel.setVersion(getServer, renameServer, () => versions.current)
  panel.respond(getServer, { server: lobby, permissions: null })
  panel.respond(renameServer, undefined)
  const onClose = vi.fn()
  const { user } = await openPart(<RenameDialog server={lobby} onClose={onClose} />, { panel })
  const dialog = within(await screen.findByRole('dialog', { name: 'Rename server' }))
  const field = await dialog.findByRole('textbox', { name: 'Name' })
  await user.clear(field)
  await user.type(field, 'hub')
  const change = (server: Partial<typeof lobby>) => {
    panel.respond(getServer, { server: { ...lobby, ...server }, permissions: null })
    versions.current = 'v2'
  }
  return { user, panel, dialog, onClose, change }
}

test('a server that someone else renamed too is shown with both names', async () => {
  const { user, panel, dialog, onClose, change } = await open()
  change({ name: 'arena' })

  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await dialog.findByText('arena', { selector: 'td' })
  expect(onClose).not.toHaveBeenCalled()
  await user.click(dialog.getByRole('button', { name: /Use saved values/ }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(panel.requests(renameServer)).toHaveLength(1)
})

test('a server whose tags someone else changed is renamed', async () => {
  const { user, panel, dialog, onClose, change } = await open()
  change({ name: 'lobby' })

  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(panel.requests(renameServer).map(({ path, headers }) => [path, headers.get('if-match')])).toEqual([
    ['/api/servers/1a2b3c4d/name/hub', '"v1"'],
    ['/api/servers/1a2b3c4d/name/hub', '"v2"'],
  ])
})
