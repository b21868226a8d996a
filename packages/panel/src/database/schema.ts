import type { Generated, Kysely, Transaction as KyselyTransaction, Selectable, Updateable } from 'kysely'

/**
 * The row types of all tables. Times are epoch milliseconds, flags are 0 or 1, and `…_key` columns are lower-case
 * copies, because databases compare letters differently.
 */
export interface Tables {
  users: UserRow
  user_scopes: { user_id: number; scope: string }
  /** `scopes` and `rights` are names separated by spaces; `servers.admin` is never one of them. */
  roles: RoleRow
  /** Users with a role, for servers with a tag; for all servers `tag_key` is empty. `source` says who gives it. */
  role_grants: { role_id: string; user_id: number; tag_key: string; tag: string; source: string }
  user_settings: { user_id: number; key: string; value: string }
  sessions: SessionRow
  two_factor: TwoFactorRow
  recovery_codes: { user_id: number; hash: string }
  passkeys: PasskeyRow
  oidc_providers: OidcProviderRow
  /** Of users, at providers. By the hash of issuer and subject. */
  identities: IdentityRow
  /** Sign-ins and links that wait for the redirect from a provider. */
  oidc_requests: OidcRequestRow
  /** By the hash of the challenge. `user_id` is 0 when any user may sign it. */
  passkey_challenges: { id: string; purpose: string; user_id: number; expires_at: number }
  /** Logins that wait for their second factor. `method`: how the first one was verified. */
  pending_logins: { id: string; user_id: number; tries: number; expires_at: number; method: Generated<string> }
  /** With a `server_id` the client has access to that server only. */
  oauth2_clients: ClientRow
  /** Networks that a client was used from, see `clientSubnet`. */
  oauth2_client_networks: { client_id: string; network: string; first_used_at: number }
  oauth2_tokens: { id: string; client_id: string; expires_at: number }
  /** See `nameColumns` for the keys. `extra_ports`: how many its users may take. */
  servers: ServerRow & { name_key: string; name_sort: string; extra_ports: Generated<number> }
  /** Servers whose node has not confirmed their creation or deletion yet. */
  unfinished_servers: { server_id: string; node_id: number; created_at: number }
  /** By the ID of the new server. */
  clones: CloneRow
  /** The last move of each server to another node. */
  moves: MoveRow
  evacuations: EvacuationRow
  evacuated_servers: EvacuatedServerRow
  /**
   * Each row allows the user to see the server until it ends; `rights` are permission names separated by spaces. Without
   * `expires_at` it does not end.
   */
  server_users: { server_id: string; user_id: number; rights: string; expires_at: number | null }
  /** `tag_key` is unique per server; `tag` is displayed. */
  server_tags: { server_id: string; tag_key: string; tag: string }
  templates: { name: string; body: string }
  /**
   * The official version that was last seeded or imported under a name, `bundled` or from the `index`. Distinguishes
   * edits from updates; edited and deleted templates are not changed by updates.
   */
  seeded_templates: { name: string; digest: string; source: Generated<string> }
  settings: { key: string; value: string }
  /** Uploaded themes: `archive` is a tar archive in Base64, `left_out` JSON. */
  themes: { name: string; archive: string; bytes: number; left_out: string; updated_at: number }
  mails: MailRow
  alert_channels: AlertChannelRow
  /** Conditions that last, of which channels were informed. */
  alerts: AlertRow
  /** IDs of received events of nodes. */
  alert_events: { id: string; at: number }
  notifications: NotificationRow
  alert_deliveries: AlertDeliveryRow
  invites: InviteRow
  /** Permissions on a server to grant with the invite, until `expires_at`; `invited_by` is the user who grants them. */
  invite_servers: InviteServerRow
  /** By the hash of the token. */
  password_resets: { token: string; user_id: number; created_at: number; expires_at: number }
  /** Email confirmation links, by the hash of their token. */
  email_confirmations: { token: string; user_id: number; expires_at: number }
  activity: ActivityRow
  /** Download links, valid once, by the hash of their token; `paths` are JSON. */
  download_tickets: DownloadTicketRow
  ssh_keys: SshKeyRow
  /** Public keys of nodes. */
  node_keys: { node_id: number; jwk: string; created_at: number }
  nodes: NodeRow
  join_tokens: JoinTokenRow
  node_reports: NodeReportRow
  /** Port ranges for new servers: JSON. */
  node_ports: { node_id: number; ranges: string }
  /** Of nodes that are not active. `until`: when the maintenance ends by itself. */
  node_availability: { node_id: number; state: string; reason: string; until: number | null }
  /** Labels and overcommit factors: JSON. */
  node_placement: { node_id: number; settings: string }
  placements: PlacementRow
  /** Retention of backups: JSON. */
  node_retention: { node_id: number; retention: string }
  /** Ports of servers that are being created, and of reservations. Those of one server have the same ID. */
  port_reservations: { id: string; node_id: number; ip: string; port: number; expires_at: number }
  /** Signing keys of panels. The next key, and the first one, have `null`. */
  signing_keys: { id: string; jwk: string; created_at: number; signs_since: number | null }
  /** What servers of orders get: JSON. */
  plans: { name: string; body: string }
  orders: OrderRow
  /** DNS names of servers, by their first part. */
  dns_names: DnsNameRow
  /** By the hash of the token. */
  sign_in_links: { token: string; user_id: number; expires_at: number }
  setup_codes: { id: number; hash: string; created_at: number }
  /** Attempts within a rate limit window, by key. */
  tries: { id: string; count: number; expires_at: number }
  /** The last ID per table: IDs are never reused. */
  counters: { name: string; value: number }
}

export interface UserRow {
  id: number
  username: string
  username_key: string
  email: string
  email_key: string
  /** The hash; `noPassword` for an account without one. */
  password: string
  created_at: number
  /** When the address was confirmed; `null` when it is not. */
  email_confirmed_at: number | null
}

export interface RoleRow {
  id: string
  name: string
  name_key: string
  description: string
  scopes: string
  rights: string
  created_at: number
}

export interface InviteServerRow {
  invite_id: string
  server_id: string
  invited_by: number
  rights: string
  expires_at: number | null
}

export interface CloneRow {
  server_id: string
  source_id: string
  /** The node of the new server. */
  node_id: number
  /** Its creator. */
  user_id: number
  state: string
  bytes: number | null
  total_bytes: number | null
  /** The reported error as JSON. */
  error: string | null
  /** 1 when it is to be canceled. */
  is_cancelled: Generated<number>
  /** Renewed by the panel that makes the clone. */
  updated_at: number
  /** Of the panel that makes it; another panel replaces it. */
  lease: string | null
  /** The backup that is copied; `null` until it is made. */
  backup_id: string | null
  /** Steps that were repeated because a job was interrupted. */
  attempts: Generated<number>
  /** 1 when users get the permissions that they have on the source. */
  has_users: Generated<number>
  /** 1 when the source is disabled. */
  is_disabled: Generated<number>
  /** The tasks of the source as JSON, which the new server gets at the end. */
  tasks: string | null
  /** What it is repeated with when it fails, as JSON. */
  request: string | null
}

export interface DnsNameRow {
  label: string
  /** `null` when its records are to be removed, as when there is no such server. */
  server_id: string | null
  state: string
  /** The records that the panel has written, or may have, as JSON. */
  written: string | null
  /** The records that the name server had last, as JSON, when they differ. */
  found: string | null
  /** Why the last attempt failed, as JSON. */
  error: string | null
  attempts: number
  checked_at: number | null
  /** When it is looked at next, or the end of the lease. */
  next_at: number
  lease: string
}

/** An order of a shop, which names it with `shop` and `external_id`. */
export interface OrderRow {
  id: string
  shop: string
  external_id: string
  /** The administrator whose client has sent it. */
  created_by: number
  state: string
  plan: string
  /** The plan as it was when the order was sent, as JSON. */
  plan_body: string
  /** What the server is created from, as JSON; `null` when it exists. */
  request: string | null
  owner_id: number | null
  /** 1 when the order has created the user. */
  is_owner_created: number
  server_id: string | null
  /** 1 while something is to be done on the node, or at a later time. */
  is_pending: number
  /** When that is due; while an order has a lease, the end of the lease. */
  next_at: number
  /** Of the panel that works on it. */
  lease: string
  attempts: number
  /** The error of the last attempt as JSON. */
  error: string | null
  /** The reason of the suspension by the shop, or of the end. */
  suspension: string | null
  limits_changed_at: number | null
  delete_at: number | null
  created_at: number
}

/** The last evacuation of a node. */
export interface EvacuationRow {
  id: string
  node_id: number
  /** The only node to which servers are moved. */
  to_node: number | null
  /** JSON. */
  labels: string
  server_order: string
  at_once: number
  leave_backups: number
  user_id: number
  /** `active` or `ended`. */
  state: string
  /** 1 when no further server is to be moved. */
  is_cancelled: Generated<number>
  /** Renewed by the panel that makes it. */
  updated_at: number
  /** Of the panel that makes it; another panel replaces it. */
  lease: string | null
  started_at: number
  ended_at: number | null
}

/** What becomes of a server during the evacuation of its node. */
export interface EvacuatedServerRow {
  evacuation_id: string
  server_id: string
  position: number
  name: string
  state: string
  move_id: string | null
  to_node: number | null
  stopped_ms: number | null
  /** Ports and addresses that change, as JSON. */
  moved_values: string | null
  /** The reported error as JSON. */
  error: string | null
}

export interface MoveRow {
  server_id: string
  /** Names the move for the nodes. */
  id: string
  from_node: number
  to_node: number
  user_id: number
  state: string
  bytes: number | null
  total_bytes: number | null
  /** The reported error as JSON. */
  error: string | null
  /** 1 when it is to be canceled. */
  is_cancelled: Generated<number>
  /** Renewed by the panel that makes the move. */
  updated_at: number
  /** Of the panel that makes it; another panel replaces it. */
  lease: string | null
  /** Passes that were repeated because a node or panel was stopped. */
  attempts: Generated<number>
  started_at: number
  /** The clock of the sending node when the first pass began, for what changes during the passes; 0 before. */
  since: Generated<number>
  /** 1 when the server ran and is started again; `null` until it is stopped. */
  was_running: number | null
  /** When it was stopped, and when it was ready on the new node. */
  stopped_at: number | null
  ready_at: number | null
  /** The node that keeps a copy which is to be deleted, and when. */
  copy_node: number | null
  copy_until: number | null
  /** New values of variables by name, as JSON. */
  data: string
  /** The reservation of the ports on the new node. */
  reservation: string
}

export interface TwoFactorRow {
  user_id: number
  secret: string
  /** 1 when enabled, since `created_at`; 0 while the enrolment waits for its confirmation. */
  is_on: number
  /** Time step of the last accepted code. */
  last_step: number
  created_at: number
  /** Wrong codes since the last accepted one. */
  wrong_codes: Generated<number>
}

export interface OidcProviderRow {
  id: string
  name: string
  issuer: string
  client_id: string
  client_secret: string
  /** Separated by spaces. */
  scopes: string
  creates_accounts: number
  is_two_factor: number
  created_at: number
}

export interface IdentityRow {
  id: string
  user_id: number
  issuer: string
  label: string
  created_at: number
  used_at: number | null
}

export interface OidcRequestRow {
  /** The hash of `state`. */
  id: string
  provider_id: string
  purpose: string
  /** The hash of the browser's token, or the ID of the session. */
  started_by: string
  nonce: string
  code_verifier: string
  redirect_url: string
  expires_at: number
}

/** A WebAuthn credential. */
export interface PasskeyRow {
  /** The hash of the credential ID. */
  id: string
  user_id: number
  name: string
  /** In base64url, as the public key in COSE format. */
  credential_id: string
  public_key: string
  /** Separated by spaces. */
  transports: string
  counter: number
  created_at: number
  used_at: number | null
}

export interface SessionRow {
  /** The hash of its token. */
  id: string
  user_id: number
  created_at: number
  used_at: number
  expires_at: number
  /** When the password was confirmed after the login. */
  confirmed_at: number | null
  /** Client address and browser that opened it. */
  address: Generated<string>
  agent: Generated<string>
  /** How the user signed in. */
  method: Generated<string>
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
  /** JSON. */
  limits: string | null
  expires_at: number | null
  /** 1 when it is paused. */
  is_paused: Generated<number>
  last_used_at: number | null
}

/** A client as it is read. */
export type StoredClient = Selectable<ClientRow>

export interface ServerRow {
  id: string
  name: string
  node_id: number
  ip: string
  port: number
  type: string
  created_at: number
  /** ID of the template that it was created from; `null` when unknown. */
  template: string | null
  /** Since when it is suspended; `null` when it is not. */
  suspended_at: number | null
  suspended_reason: string | null
  /** When the suspension ends by itself; `null` when it does not. */
  suspended_until: number | null
}

export interface MailRow {
  id: string
  kind: string
  recipient: string
  recipient_key: string
  /** The user who caused it; `null` for the panel itself. */
  sender_id: number | null
  language: string
  /** Data of the mail as JSON; deleted after it was sent. */
  facts: string
  state: string
  tries: number
  created_at: number
  /** When it is due; while it is being sent, when the lease expires. */
  next_at: number
  ended_at: number | null
  /** The lease of the worker that is sending it. */
  lease: string
  last_error: string
}

export interface AlertChannelRow {
  id: string
  name: string
  type: string
  target: string
  /** Signs requests to a webhook; empty for other types. */
  secret: string
  language: string
  /** `ChannelRules` as JSON. */
  rules: string
  is_enabled: number
  created_at: number
  /** The server whose users edit it; `null` for a channel of administrators. */
  server_id: string | null
  /** Who set its target; the user may be deleted. `null` for channels of earlier releases. */
  owner_id: number | null
}

export interface AlertRow {
  /** Type and subject, for example `crashed:00c0ffee`. */
  alert_key: string
  id: string
  type: string
  server_id: string | null
  node_id: number | null
  opened_at: number
  /** When it was last reported. */
  last_at: number
}

export interface NotificationRow {
  id: string
  type: string
  server_id: string | null
  node_id: number | null
  began_at: number
  ended_at: number | null
}

export interface AlertDeliveryRow {
  id: string
  alert_id: string
  channel_id: string
  type: string
  is_resolved: number
  /** `AlertContent` as JSON. */
  content: string
  state: string
  tries: number
  created_at: number
  /** When it is due; while it is being sent, when the lease expires. */
  next_at: number
  ended_at: number | null
  /** The lease of the worker that is sending it. */
  lease: string
  answer: string
  /** Its node has sent it, without the panel. */
  is_by_node: number
}

export interface InviteRow {
  id: string
  email: string
  email_key: string
  /** The hash. */
  token: string
  invited_by: number | null
  /** 1 when the link was given to the inviting user instead of being mailed. */
  is_link: number | null
  created_at: number
  expires_at: number
}

export interface DownloadTicketRow {
  id: string
  user_id: number
  server_id: string
  /** The credential that created it: the link ends with it. */
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
  /** SSH wire format, base64. */
  public_key: string
  fingerprint: string
  created_at: number
  used_at: number | null
}

/** All nodes except the local one. */
export interface NodeRow {
  id: number
  name: string
  name_key: string
  public_host: string
  public_port: number
  private_host: string
  private_port: number
  sftp_port: number
  /** Join secret; after joining only the node's key is accepted. */
  secret: string
  /** Pinned certificate of the node, PEM; empty when it has one from a certificate authority. */
  certificate: string
  joined_at: number | null
  created_at: number
}

/** Reserved room for a server. */
export interface PlacementRow {
  id: string
  node_id: number
  user_id: number
  /** Bytes; 0 when none was requested. */
  memory: number
  disk: number
  /** The server that was created with it; it is kept until the node has reported the server. */
  server_id: string | null
  expires_at: number
}

/** A token with which machines register themselves as nodes. */
export interface JoinTokenRow {
  id: string
  secret: string
  uses: number
  uses_left: number
  expires_at: number
  created_at: number
  /** Username. */
  created_by: string
}

/** The last report of a node. */
export interface NodeReportRow {
  node_id: number
  /** Start of the current online or offline state. */
  since: number
  seen_at: number
  /** Clock offset of the node in milliseconds; positive when it is ahead. */
  skew: number
  /** When the panel last tried to reach the node, and whether it could: 0, 1 directly, or 2 through the tunnel of the node. */
  reached_at: number
  is_reachable: number
  /** Features and machine, and the usage of each server: JSON. */
  body: string
  servers: string
}

export interface ActivityRow {
  /** Sortable by time. */
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
  /** Number of combined actions; `null` for a single one. */
  count: number | null
}

/** A row of a table as it is read. */
export type StoredRow<Table extends keyof Tables> = Selectable<Tables[Table]>

/** Columns of a row that an update sets. */
export type RowChanges<Table extends keyof Tables> = Updateable<Tables[Table]>

export type Database = Kysely<Tables>

/** A function that must be atomic takes a transaction as its `db`. */
export type Transaction = KyselyTransaction<Tables>
