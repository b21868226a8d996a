import type { Kysely, Transaction as KyselyTransaction } from 'kysely'

/**
 * The tables as their rows are. Times are epoch milliseconds, flags are 0 or 1, and `…_key` columns hold lower-cased
 * copies, because the databases differ in how they compare letters.
 */
export interface Tables {
  users: UserRow
  user_scopes: { user_id: number; scope: string }
  user_settings: { user_id: number; key: string; value: string }
  sessions: { id: string; user_id: number; created_at: number; used_at: number; expires_at: number }
  servers: ServerRow
  /** A row means that the person may see the server; `rights` are server flags with blanks between. */
  server_users: { server_id: string; user_id: number; rights: string }
  templates: { name: string; body: string }
  /** What was seeded last under which name, so that edited and deleted templates stay as people left them. */
  seeded_templates: { name: string; digest: string }
  settings: { key: string; value: string }
  signing_keys: { id: string; jwk: string; created_at: number }
  setup_codes: { id: number; hash: string; created_at: number }
  /** Tries within a window of time, by what is being tried. */
  tries: { id: string; count: number; expires_at: number }
  /** The last number given out per table: ids are never used again. */
  counters: { name: string; value: number }
}

export interface UserRow {
  id: number
  username: string
  username_key: string
  email: string
  email_key: string
  password: string
  created_at: number
}

export interface ServerRow {
  id: string
  name: string
  node_id: number
  ip: string
  port: number
  type: string
  created_at: number
}

export type Database = Kysely<Tables>

/** What must happen whole or not at all takes this as its database. */
export type Transaction = KyselyTransaction<Tables>
