import type { Tables } from '../database/schema.ts'
import type { TestPanel } from './test-panel.ts'

const tables: readonly (keyof Tables)[] = [
  'users',
  'user_scopes',
  'roles',
  'role_grants',
  'user_settings',
  'servers',
  'server_users',
  'server_tags',
  'templates',
  'themes',
  'settings',
  'two_factor',
  'recovery_codes',
  'passkeys',
  'oauth2_clients',
  'oauth2_tokens',
  'invites',
  'mails',
  'ssh_keys',
  'node_keys',
  'nodes',
]

/** All data that a request could change. */
export async function databaseSnapshot(testPanel: TestPanel) {
  const rows = await Promise.all(tables.map((name) => testPanel.db.selectFrom(name).selectAll().execute()))
  const { length: sessions } = await testPanel.db.selectFrom('sessions').select('id').execute()
  // Each request of a client is a use of it.
  const unchanged = rows.map((ofTable) => ofTable.map((row) => ({ ...row, last_used_at: undefined })))
  return { rows: unchanged, sessions, definitions: [...testPanel.node.definitions] }
}
