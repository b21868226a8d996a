import { randomUUID } from 'node:crypto'
import type { MailKind } from '@innkeeper/contract/alerts/mail'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { expect } from 'vitest'
import { DatabaseNotAvailable } from '../database/errors.ts'
import type { Database, MailRow } from '../database/schema.ts'
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

/** Adds a mail that is due to the queue. */
export async function addMail(db: Database, fields: Partial<MailRow> = {}): Promise<MailRow> {
  const row: MailRow = {
    id: randomUUID(),
    kind: 'otpEnabled',
    recipient: 'ada@example.org',
    recipient_key: 'ada@example.org',
    sender_id: null,
    language: 'en_US',
    facts: '{}',
    state: 'waiting',
    tries: 0,
    created_at: Date.now(),
    next_at: 1_000,
    ended_at: null,
    lease: '',
    last_error: '',
    ...fields,
  }
  await db.insertInto('mails').values(row).execute()
  return row
}

/** A database whose `at`-th update fails. */
export function failingAt(db: Database, at: number): Database {
  let count = 0
  return new Proxy(db, {
    get(target, key) {
      if (key === 'updateTable' && ++count === at) throw new DatabaseNotAvailable('gone')
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
