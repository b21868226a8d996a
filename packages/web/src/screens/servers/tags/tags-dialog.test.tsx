import { getServer, putServerTags } from '@innkeeper/contract/servers/servers'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FakePanel } from '../../../testing/fake-panel.ts'
import { openPart } from '../../../testing/open-part.tsx'
import { TagsDialog } from './tags-dialog.tsx'

const node = { id: 0, name: 'LocalNode', publicHost: 'play.test', publicPort: 8080, sftpPort: 5657, isLocal: true }
const lobby = { id: '1a2b3c4d', name: 'lobby', node, ip: '0.0.0.0', port: 25565, type: 'minecraft', tags: ['EU'] }

test('tags that someone else changed too are shown in both versions, and replaced only on request', async () => {
  const panel = new FakePanel()
  const versions = { current: 'v1' }
  panel.setVersion(getServer, putServerTags, () => versions.current)
  panel.respond(getServer, { server: lobby, permissions: null })
  panel.respond(putServerTags, undefined)
  const onClose = vi.fn()
  const { user } = await openPart(<TagsDialog server={lobby} knownTags={[]} onClose={onClose} />, { panel })
  const dialog = within(await screen.findByRole('dialog', { name: /lobby/ }))
  await user.type(await dialog.findByRole('combobox', { name: 'Tags' }), 'mine,')
  panel.respond(getServer, { server: { ...lobby, tags: ['EU', 'theirs'] }, permissions: null })
  versions.current = 'v2'

  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await dialog.findByText('EU and theirs', { selector: 'td' })
  expect(dialog.getByText('EU and mine', { selector: 'td' })).toBeDefined()
  expect(onClose).not.toHaveBeenCalled()
  await user.click(dialog.getByRole('button', { name: /Keep yours/ }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(panel.requests(putServerTags).map(({ body, headers }) => [body, headers.get('if-match')])).toEqual([
    [{ tags: ['EU', 'mine'] }, '"v1"'],
    [{ tags: ['EU', 'mine'] }, '"v2"'],
  ])
})
