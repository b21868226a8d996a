import type { Generated, Kysely, Transaction as KyselyTransaction } from 'kysely'

/**
 * The tables as their rows are. Times are epoch milliseconds, flags are 0 or 1, and `…_key` columns hold lower-cased
 * copies, because the databases differ in how they compare letters.
 */
export interface Tables {
  users: UserRow
  user_scopes: { user_id: number; scope: string }
  user_settings: { user_id: number; key: string; value: string }
  sessions: SessionRow
  two_factor: TwoFactorRow
  recovery_codes: { user_id: number; hash: string }
  /** Logins that still wait for their code. */
  pending_logins: { id: string; user_id: number; tries: number; expires_at: number }
  /** With a `server_id` it acts on that server only. */
  oauth2_clients: ClientRow
  oauth2_tokens: { id: string; client_id: string; expires_at: number }
  servers: ServerRow
  /** Servers whose node has not said yet whether it created them. */
  unfinished_servers: { server_id: string; node_id: number; created_at: number }
  /** A row means that the person may see the server; `rights` are server flags with blanks between. */
  server_users: { server_id: string; user_id: number; rights: string }
  /** `tag_key` is unique on a server; `tag` is shown. */
  server_tags: { server_id: string; tag_key: string; tag: string }
  templates: { name: string; body: string }
  /**
   * The official version that was last seeded or imported under a name, and whether it was `bundled` or of the `index`.
   * Tells edits apart from updates; edited and deleted templates stay as people left them.
   */
  seeded_templates: { name: string; digest: string; source: Generated<string> }
  settings: { key: string; value: string }
  /** Uploaded themes: `archive` is a tar archive in Base64, `left_out` JSON. */
  themes: { name: string; archive: string; bytes: number; left_out: string; updated_at: number }
  mails: MailRow
  invites: InviteRow
  /** What the invited person will be able to do on a server; `invited_by` is whoever gives these rights. */
  invite_servers: { invite_id: string; server_id: string; invited_by: number; rights: string }
  /** By the hash of the token. */
  password_resets: { token: string; user_id: number; created_at: number; expires_at: number }
  /** Links that confirm the address of an account, by the hash of their token. */
  email_confirmations: { token: string; user_id: number; expires_at: number }
  activity: ActivityRow
  /** Links to files that are good once, by the hash of their token; `paths` are JSON. */
  download_tickets: DownloadTicketRow
  ssh_keys: SshKeyRow
  /** The public key with which a node signs what it asks. */
  node_keys: { node_id: number; jwk: string; created_at: number }
  nodes: NodeRow
  node_reports: NodeReportRow
  /** From which ports its new servers get theirs: JSON. */
  node_ports: { node_id: number; ranges: string }
  /** With which panels sign. One that is next signs since `null`; so does the first of all. */
  signing_keys: { id: string; jwk: string; created_at: number; signs_since: number | null }
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
  /** Since when the address is known to be theirs; `null` while it is not. */
  email_confirmed_at: number | null
}

export interface TwoFactorRow {
  user_id: number
  secret: string
  /** 1 since `created_at`, or 0 while it waits for its confirmation since then. */
  is_on: number
  /** That of the last code that was good. */
  last_step: number
  created_at: number
  /** Wrong codes in a row since the last one that was good. */
  wrong_codes: Generated<number>
}

export interface SessionRow {
  /** The hash of its token. */
  id: string
  user_id: number
  created_at: number
  used_at: number
  expires_at: number
  /** Where it was opened from, and with which browser. */
  address: Generated<string>
  agent: Generated<string>
}

export interface ClientRow {
  id: string
  user_id: number
  server_id: string | null
  name: string
  description: string
  /** The hash. */
  secret: string
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
  /** The ID of the template that it was made from; `null` when that is not known. */
  template: string | null
}

export interface MailRow {
  id: string
  kind: string
  recipient: string
  recipient_key: string
  /** Who caused it; `null` for the panel itself. */
  sender_id: number | null
  language: string
  /** What it tells, as JSON; empty once it was sent. */
  facts: string
  state: string
  tries: number
  created_at: number
  /** When it is due; while it is being sent, when others may take it over. */
  next_at: number
  ended_at: number | null
  /** Who is sending it now. */
  lease: string
  last_error: string
}

export interface InviteRow {
  id: string
  email: string
  email_key: string
  /** The hash. */
  token: string
  invited_by: number | null
  created_at: number
  expires_at: number
}

export interface DownloadTicketRow {
  id: string
  user_id: number
  server_id: string
  /** The credential that asked for it: when it ends, so does the link. */
  session_id: string
  client_id: string | null
  paths: string
  expires_at: number
}

export interface SshKeyRow {
  id: string
  user_id: number
  name: string
  algorithm: string
  /** As it goes over the wire, base64. */
  public_key: string
  fingerprint: string
  created_at: number
  used_at: number | null
}

/** Every node but the one of the panel's machine. */
export interface NodeRow {
  id: number
  name: string
  name_key: string
  public_host: string
  public_port: number
  private_host: string
  private_port: number
  sftp_port: number
  /** With which it joins; once it has, only its own key counts. */
  secret: string
  /** What it must show when the panel connects, PEM; empty when its name proves it. */
  certificate: string
  joined_at: number | null
  created_at: number
}

/** What a node told last. */
export interface NodeReportRow {
  node_id: number
  /** Since when it has not been silent for too long. */
  since: number
  seen_at: number
  /** How far its clock was ahead, milliseconds. */
  skew: number
  /** When a panel tried to reach it last, and whether it did: 0 or 1. */
  reached_at: number
  is_reachable: number
  /** Features and machine, and the usage of each server: JSON. */
  body: string
  servers: string
}

export interface ActivityRow {
  /** In the order of time. */
  id: string
  at: number
  user_id: number | null
  username: string
  client_id: string
  action: string
  server_id: string | null
  target: string
  address: string
  result: string
  code: string
  /** How many it sums up; `null` in an entry for one thing. */
  count: number | null
}

export type Database = Kysely<Tables>

/** What must happen whole or not at all takes this as its database. */
export type Transaction = KyselyTransaction<Tables>
