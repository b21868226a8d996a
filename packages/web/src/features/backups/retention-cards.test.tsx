import { getNodeRetention, type NodeRetention, putNodeRetention } from '@innkeeper/contract/backups/backup-plan'
import { type BackupRetention, keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { NodeRetentionCard } from './retention-cards.tsx'

const ofPanel = { ...keepEverything, daily: 7 }

/** The card of a node, on a panel that keeps daily backups. */
async function openCard(own?: BackupRetention) {
  const panel = new FakePanel()
  const there: { own: BackupRetention | null } = { own: own ?? null }
  const applied = (): NodeRetention =>
    there.own ? { retention: there.own, source: 'node' } : { retention: ofPanel, source: 'panel' }
  panel.respond(getNodeRetention, applied)
  panel.respond(putNodeRetention, ({ body }) => {
    there.own = body as BackupRetention | null
    return undefined
  })
  panel.setVersion(getNodeRetention, putNodeRetention, () => JSON.stringify(applied()))
  const { user } = await openPart(<NodeRetentionCard node={3} />, { panel })
  const daily = await screen.findByRole('textbox', { name: 'Daily' })
  const type = async (text: string) => {
    await user.clear(daily)
    await user.type(daily, text)
  }
  return { user, there, daily, type }
}

test('a node takes its own retention instead of that of the panel, and gives it up again', async () => {
  const { user, there, daily, type } = await openCard()
  expect(screen.getByText('Panel default')).toBeDefined()
  expect(daily).toHaveProperty('value', '7')
  expect(screen.queryByRole('button', { name: 'Use panel default' })).toBeNull()

  await type('3')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Node default')
  const saved = there.own
  await user.click(screen.getByRole('button', { name: 'Use panel default' }))

  await screen.findByText('Panel default')
  expect(saved).toEqual({ ...keepEverything, daily: 3 })
  expect(there.own).toBe(null)
  await waitFor(() => expect(daily).toHaveProperty('value', '7'))
})

test('a rule that someone else changed too is shown with both versions', async () => {
  const { user, there, type } = await openCard({ ...keepEverything, daily: 2 })
  await type('9')
  there.own = { ...keepEverything, daily: 8, weekly: 4 }

  await user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('8', { selector: 'td' })
  expect(there.own).toMatchObject({ daily: 8 })
  await user.click(screen.getByRole('button', { name: /Keep yours/ }))
  await user.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(there.own).toMatchObject({ daily: 9, weekly: 4 }))
})

test('a reset does not replace what someone else has changed', async () => {
  const { user, there, daily } = await openCard({ ...keepEverything, daily: 2 })
  there.own = { ...keepEverything, daily: 8 }

  await user.click(screen.getByRole('button', { name: 'Use panel default' }))

  await waitFor(() => expect(daily).toHaveProperty('value', '8'))
  expect(there.own).toMatchObject({ daily: 8 })
})
