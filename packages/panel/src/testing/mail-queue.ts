import type { MailKind } from '@innkeeper/contract/mail'
import { postSettings } from '@innkeeper/contract/settings'
import { expect } from 'vitest'
import type { TestPanel, TestUser } from './test-panel.ts'

/** Configures a mail server that does not exist, so that mails stay in the queue, where a test can read them. */
export async function queueMail(testPanel: TestPanel, admin: TestUser): Promise<void> {
  const body = {
    'panel.settings.masterUrl': 'https://panel.example.org',
    'panel.email.provider': 'smtp',
    'panel.email.host': 'smtp://127.0.0.1:9',
    'panel.email.from': 'panel@example.org',
  } as const
  expect((await testPanel.send(postSettings, { body }, admin)).status).toBe(204)
}

/** The data of an address's mails of a kind, oldest first. */
export async function mailsTo(testPanel: TestPanel, to: string, kind: MailKind): Promise<Record<string, string>[]> {
  const rows = await testPanel.db
    .selectFrom('mails')
    .select('facts')
    .where('recipient', '=', to)
    .where('kind', '=', kind)
    .orderBy('created_at')
    .execute()
  return rows.map(({ facts }) => JSON.parse(facts) as Record<string, string>)
}

/** The token of the link in an address's newest mail of a kind. */
export async function tokenFor(testPanel: TestPanel, to: string, kind: MailKind): Promise<string> {
  return (await mailsTo(testPanel, to, kind)).at(-1)?.token ?? ''
}
