import { type BackupRetention, keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { getServerBackupTargets, putServerBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import { getBackupRetention, putBackupRetention } from '@innkeeper/contract/backups/backups'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { RetentionDialog } from './retention-dialog.tsx'
import { ServerTargetsDialog } from './targets/server-targets-dialog.tsx'

const server = 'deadbeef'
const offsite = { id: '0a0a0a0a', name: 'Offsite' }

async function openTargets() {
  const panel = new FakePanel()
  const stored = { selected: ['local'] as string[] | null }
  panel.respond(getServerBackupTargets, () => ({
    targets: [offsite],
    defaults: ['local'],
    ...(stored.selected && { selected: stored.selected }),
  }))
  panel.respond(putServerBackupTargets, ({ body }) => {
    stored.selected = body as string[] | null
    return undefined
  })
  panel.setVersion(getServerBackupTargets, putServerBackupTargets, () => JSON.stringify(stored))
  const onClose = vi.fn<() => void>()
  const { user } = await openPart(<ServerTargetsDialog server={server} onClose={onClose} />, { panel })
  const dialog = within(await screen.findByRole('dialog', { name: 'Backup targets' }))
  const checkbox = await dialog.findByRole('checkbox', { name: 'Offsite' })
  return { user, stored, onClose, dialog, checkbox }
}

test('a choice of targets that someone else changed too is shown with both versions', async () => {
  const { user, stored, onClose, dialog, checkbox } = await openTargets()
  await user.click(checkbox)
  stored.selected = null

  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await dialog.findByText("Use the node's targets", { selector: 'td' })
  expect(dialog.getByText('Node folder and Offsite', { selector: 'td' })).toBeDefined()
  expect([stored.selected, onClose.mock.calls]).toEqual([null, []])
  await user.click(dialog.getByRole('button', { name: /Keep yours/ }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(stored.selected).toEqual(['local', '0a0a0a0a'])
})

test('an unsaved choice of targets is offered after an expired session', async () => {
  const first = await openTargets()
  await first.user.click(first.checkbox)
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('0a0a0a0a'))
  cleanup()

  const { user, dialog, checkbox } = await openTargets()
  await user.click(await dialog.findByRole('button', { name: 'Restore' }))

  expect(checkbox).toHaveProperty('checked', true)
})

test('a rule of the retention that someone else changed too is shown with both versions', async () => {
  const panel = new FakePanel()
  let retention: BackupRetention = { ...keepEverything, daily: 7 }
  panel.respond(getBackupRetention, () => ({ retention, timezone: 'Europe/Berlin' }))
  panel.respond(putBackupRetention, ({ body }) => {
    retention = body as BackupRetention
    return undefined
  })
  panel.setVersion(getBackupRetention, putBackupRetention, () => JSON.stringify(retention))
  const onClose = vi.fn<() => void>()
  const { user } = await openPart(<RetentionDialog server={server} backups={[]} onClose={onClose} />, { panel })
  const daily = await screen.findByRole('textbox', { name: 'Daily' })
  await user.clear(daily)
  await user.type(daily, '9')
  retention = { ...retention, daily: 8, weekly: 4 }

  await user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('8', { selector: 'td' })
  expect(retention).toMatchObject({ daily: 8, weekly: 4 })
  await user.click(screen.getByRole('button', { name: /Keep yours/ }))
  await user.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(retention).toMatchObject({ daily: 9, weekly: 4 })
})
