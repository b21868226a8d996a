import {
  createBackupTarget,
  deleteBackupTarget,
  editBackupTarget,
  listBackupTargets,
  type NodeBackupTargets,
  putDefaultBackupTargets,
  testBackupTarget,
} from '@innkeeper/contract/backups/backup-targets'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../../testing/fake-panel.ts'
import { openPart } from '../../../testing/open-part.tsx'
import { BackupTargetsCard } from './targets-card.tsx'

const s3 = {
  type: 's3' as const,
  endpoint: 'https://s3.example.com',
  bucket: 'backups',
  path: '',
  region: '',
  usesPathStyle: true,
  certificates: '',
}
const offsite = { id: '0a0a0a0a', name: 'Offsite', address: s3 }

async function openCard(data: Partial<NodeBackupTargets> = {}, canEdit = true) {
  const panel = new FakePanel()
  panel.respond(listBackupTargets, { targets: [offsite], defaults: ['local'], ...data })
  panel.respond(createBackupTarget, { id: '0b0b0b0b' })
  panel.respond(editBackupTarget, undefined)
  panel.respond(deleteBackupTarget, undefined)
  panel.respond(putDefaultBackupTargets, undefined)
  panel.respond(testBackupTarget, { type: 'ok', isNew: true })
  const opened = await openPart(<BackupTargetsCard node={3} canEdit={canEdit} />, { panel })
  await screen.findByText('Node folder')
  return opened
}

test('an SFTP target is added after its host key was confirmed', async () => {
  const { user, panel } = await openCard({ targets: [] })
  panel.respond(testBackupTarget, { type: 'hostKey', hostKey: 'ssh-ed25519 AAAA', fingerprint: 'SHA256:abc' })
  await user.click(screen.getByRole('button', { name: 'Add target' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add target' }))

  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'NAS')
  await user.type(dialog.getByRole('textbox', { name: 'Host' }), '192.168.1.5')
  await user.type(dialog.getByRole('textbox', { name: 'Username' }), 'keeper')
  await user.type(dialog.getByRole('textbox', { name: 'Path' }), '/backups')
  await user.type(dialog.getByLabelText('Password'), 'secret')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await screen.findByText(/Fingerprint: SHA256:abc/)
  expect(panel.requests(testBackupTarget).at(-1)?.body).toEqual({
    address: { type: 'sftp', host: '192.168.1.5', port: 22, user: 'keeper', path: '/backups' },
  })
  await user.click(screen.getByRole('button', { name: 'Trust this key' }))

  await waitFor(() =>
    expect(panel.requests(createBackupTarget).at(-1)?.body).toEqual({
      name: 'NAS',
      address: {
        type: 'sftp',
        host: '192.168.1.5',
        port: 22,
        user: 'keeper',
        path: '/backups',
        hostKey: 'ssh-ed25519 AAAA',
      },
      secrets: { password: 'secret' },
    }),
  )
})

test('a change without passwords keeps the stored ones, and is tested with them', async () => {
  const { user, panel } = await openCard()
  await user.click(screen.getByRole('button', { name: 'Edit Offsite' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Offsite' }))

  await user.type(dialog.getByRole('textbox', { name: 'Path' }), 'node')
  await user.click(dialog.getByRole('button', { name: 'Test connection' }))
  await screen.findByText('Connection successful.')
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  const address = { ...s3, path: 'node' }
  expect(panel.requests(testBackupTarget).at(-1)?.body).toEqual({ id: '0a0a0a0a', address })
  await waitFor(() => expect(panel.requests(editBackupTarget).at(-1)?.body).toEqual({ name: 'Offsite', address }))
})

test('a target that someone else changed too is shown with both versions, and no input is lost', async () => {
  const { user, panel } = await openCard({ targets: [{ ...offsite, version: 'v1' }] })
  await user.click(screen.getByRole('button', { name: 'Edit Offsite' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Offsite' }))
  await user.type(dialog.getByRole('textbox', { name: 'Path' }), 'mine')
  await user.type(dialog.getByLabelText('Access key'), 'AKIA')
  await user.type(dialog.getByLabelText('Secret key'), 'hidden')
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('mine'))
  expect(Object.values(sessionStorage).join()).not.toContain('hidden')
  const theirs = { ...offsite, name: 'Cold', address: { ...s3, path: 'theirs' }, version: 'v2' }
  panel.respond(listBackupTargets, { targets: [theirs], defaults: ['local'] })
  panel.respond(editBackupTarget, ({ headers }) =>
    headers.get('if-match') === '"v2"' ? undefined : new Refusal('ErrStaleVersion'),
  )

  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await screen.findByText('theirs', { selector: 'td' })
  expect(screen.getByText('mine', { selector: 'td' })).toBeDefined()
  await user.click(screen.getByRole('button', { name: /Keep yours/ }))
  await user.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(editBackupTarget).at(-1)?.body).toEqual({
    name: 'Cold',
    address: { ...s3, path: 'mine' },
    secrets: { accessKey: 'AKIA', secretKey: 'hidden' },
  })
})

test('the targets of servers without own ones are chosen in the list', async () => {
  const { user, panel } = await openCard()

  await user.click(screen.getByRole('checkbox', { name: 'Store backups on Offsite' }))

  await waitFor(() => expect(panel.requests(putDefaultBackupTargets).at(-1)?.body).toEqual(['local', '0a0a0a0a']))
})

test('a choice that someone else changed since is not overwritten, and theirs is shown', async () => {
  const { user, panel } = await openCard({ defaultsVersion: 'v1' })
  panel.respond(listBackupTargets, { targets: [offsite], defaults: ['0a0a0a0a'], defaultsVersion: 'v2' })
  panel.respond(putDefaultBackupTargets, ({ headers }) =>
    headers.get('if-match') === '"v2"' ? undefined : new Refusal('ErrStaleVersion'),
  )
  const isUsed = (name: string) => (screen.getByRole('checkbox', { name }) as HTMLInputElement).checked

  await user.click(screen.getByRole('checkbox', { name: 'Store backups on Offsite' }))

  await screen.findByText('Someone else changed this. Reload to see the latest version.')
  await waitFor(() => expect(isUsed('Store backups on Node folder')).toBe(false))
  expect(isUsed('Store backups on Offsite')).toBe(true)
})

test('a failed target shows its reason, and is read-only without the permission to change it', async () => {
  const error = { code: 'ErrBackupFailed', msg: '', metadata: { reason: 'the target does not respond' } }
  await openCard({ targets: [{ ...offsite, error }] }, false)

  expect(screen.getByText(/the target does not respond/)).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
  expect(screen.getByRole('checkbox', { name: 'Store backups on Offsite' }).hasAttribute('disabled')).toBe(true)
})

test('a target is removed after a question', async () => {
  const { user, panel } = await openCard()

  await user.click(screen.getByRole('button', { name: 'Delete Offsite' }))
  await user.click(await screen.findByRole('button', { name: 'Delete' }))

  await waitFor(() => expect(panel.requests(deleteBackupTarget)).toHaveLength(1))
})
