import { addSshKey, listSshKeys, removeSshKey, type SshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { SshKeys } from './ssh-keys.tsx'

const laptop: SshKey = {
  id: 'k1',
  name: 'Laptop',
  algorithm: 'ssh-ed25519',
  fingerprint: 'SHA256:abc',
  createdAt: '2026-11-20T08:00:00Z',
}
const line = 'ssh-ed25519 AAAAC3 desk'

async function openKeys(keys: readonly SshKey[] = []) {
  const panel = new FakePanel()
  let stored = [...keys]
  panel.respond(listSshKeys, () => stored)
  panel.respond(addSshKey, ({ body }) => {
    const added = { ...laptop, id: 'k2', name: (body as { name?: string }).name ?? 'desk' }
    stored = [added, ...stored]
    return added
  })
  panel.respond(removeSshKey, ({ path }) => {
    stored = stored.filter(({ id }) => !path.endsWith(id))
    return undefined
  })
  return openPart(<SshKeys />, { panel })
}

async function openForm(user: Awaited<ReturnType<typeof openKeys>>['user']) {
  await user.click(await screen.findByRole('button', { name: 'Add key' }))
  return within(await screen.findByRole('dialog', { name: 'Add key' }))
}

test('lists keys with name, fingerprint and last use', async () => {
  await openKeys([laptop, { ...laptop, id: 'k3', name: 'Build', usedAt: '2026-11-21T08:00:00Z' }])

  const [first, second] = await screen.findAllByRole('listitem')
  expect(first?.textContent).toContain('Laptop')
  expect(first?.textContent).toContain('SHA256:abc')
  expect(first?.textContent).toContain('never used')
  expect(second?.textContent).toContain('last used')
})

test('a key is added with the current password; without a name its comment is used', async () => {
  const { user, panel } = await openKeys()
  await screen.findByText(/No SSH keys/)
  const form = await openForm(user)

  await user.type(form.getByLabelText('Public key'), line)
  await user.type(form.getByLabelText('Current password'), 'correct horse')
  await user.click(form.getByRole('button', { name: 'Add key' }))

  await screen.findByText('Added desk')
  await waitFor(() => expect(screen.queryByRole('form')).toBeNull())
  expect(screen.getAllByRole('listitem')).toHaveLength(1)
  expect(panel.requests(addSshKey).map(({ body }) => body)).toEqual([{ key: line, password: 'correct horse' }])
})

test('a key is read from a file', async () => {
  const { user, panel } = await openKeys()
  const form = await openForm(user)
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')

  await user.upload(input as HTMLInputElement, new File([`${line}\n`], 'id_ed25519.pub', { type: 'text/plain' }))
  await waitFor(() => expect(form.getByLabelText<HTMLTextAreaElement>('Public key').value).toBe(line))
  await user.type(form.getByLabelText('Name'), 'Work')
  await user.type(form.getByLabelText('Current password'), 'correct horse{Enter}')

  await screen.findByText('Added Work')
  expect(panel.requests(addSshKey)[0]?.body).toMatchObject({ key: line, name: 'Work' })
})

test.each([
  ['ErrInvalidCredentials', 'This is not your current password.', 'Current password'],
  ['ErrSshKeyInvalid', 'This is not a valid public SSH key', 'Public key'],
  ['ErrDuplicateSshKey', 'This key is already in use', 'Public key'],
] as const)('%s is shown at its field', async (code, message, label) => {
  const { user, panel } = await openKeys()
  panel.respond(addSshKey, new Refusal(code))
  const form = await openForm(user)

  await user.type(form.getByLabelText('Public key'), line)
  await user.type(form.getByLabelText('Current password'), 'whatever{Enter}')

  await form.findByText(message)
  expect(document.activeElement).toBe(form.getByLabelText(label))
})

test('missing fields are shown without a request', async () => {
  const { user, panel } = await openKeys()
  const form = await openForm(user)

  await user.click(form.getByRole('button', { name: 'Add key' }))

  await form.findByText('Public key is required')
  expect(panel.requests(addSshKey)).toEqual([])
})

test('a key is removed after a confirmation', async () => {
  const { user, panel } = await openKeys([laptop])

  await user.click(await screen.findByRole('button', { name: 'Remove Laptop' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove Laptop?' }))
  await user.click(dialog.getByRole('button', { name: 'Remove' }))

  await screen.findByText(/No SSH keys/)
  expect(panel.requests(removeSshKey).map(({ path }) => path)).toEqual(['/api/self/sshkeys/k1'])
})
