import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import { Email, serverNameKey, toServerName } from '@innkeeper/contract/text/names'
import { formatPermissions } from '../access/access.ts'
import type { ActivityLog } from '../activity/activity.ts'
import { isSupportedHash, type Passwords } from '../auth/passwords.ts'
import { insertIfAbsent, lock, nextId, runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { nameColumns } from '../database/server-name.ts'
import {
  addUser,
  lowerCaseKey,
  permissionsLock,
  requireUserById,
  scopesOfAll,
  userByEmail,
  userLabel,
} from '../database/users.ts'
import { newToken } from '../security/secrets.ts'
import { fromCommandLine, requireUserId } from '../users/cli-users.ts'
import { uniqueName, validUsername } from './import-names.ts'
import type { ImportedServer, ImportedUser, ImportKind, ImportPlan } from './import-plan.ts'

interface Deps {
  readonly db: Database
  readonly passwords: Pick<Passwords, 'hash'>
  readonly activity: Pick<ActivityLog, 'record'>
  readonly now: () => number
}

/** Rows of one kind that were added, and that an earlier import had added or that existed already. */
export interface ImportCount {
  readonly added: number
  readonly existing: number
}

export interface ImportOutcome {
  readonly counts: Readonly<Partial<Record<ImportKind, ImportCount>>>
  /** What was carried over with a change, or not at all. */
  readonly notes: readonly string[]
  /** IDs of users, by key. */
  readonly userIds: ReadonlyMap<string, number>
  /** Who gets tasks that no user of their server may run: an administrator. */
  readonly taskOwner: number | undefined
  /** Servers that are in the database now. */
  readonly servers: readonly ImportedServer[]
}

export type ImportService = ReturnType<typeof importService>

/** Undoes a dry run. */
class DryRun extends Error {
  readonly outcome: ImportOutcome
  constructor(outcome: ImportOutcome) {
    super('dry run')
    this.outcome = outcome
  }
}

/**
 * Writes what was found in another panel to the database, in one transaction. Users are recognized by their address,
 * servers and clients by their ID, nodes and templates by their name: what exists is not changed.
 */
export function importService({ db, passwords, activity, now }: Deps) {
  return {
    /** @throws Refusal when there is no user `taskOwner` */
    async apply(
      plan: ImportPlan,
      { dryRun, taskOwner }: { readonly dryRun: boolean; readonly taskOwner?: string | undefined },
    ): Promise<ImportOutcome> {
      // A user without a usable password gets a random one.
      const unknownPassword = await passwords.hash(newToken())
      try {
        return await runTransaction(db, async (transaction) => {
          const outcome = await new Writer(transaction, activity, now(), unknownPassword).write(plan, taskOwner)
          if (dryRun) throw new DryRun(outcome)
          return outcome
        })
      } catch (error) {
        if (error instanceof DryRun) return error.outcome
        throw error
      }
    },
  }
}

/** Writes a plan within one transaction. */
class Writer {
  readonly #db: Transaction
  readonly #activity: Deps['activity']
  readonly #now: number
  readonly #unknownPassword: string
  readonly #counts = new Map<ImportKind, { added: number; existing: number }>()
  readonly #notes: string[] = []
  readonly #userIds = new Map<string, number>()
  readonly #nodeIds = new Map<string, number>()

  constructor(transaction: Transaction, activity: Deps['activity'], now: number, unknownPassword: string) {
    this.#db = transaction
    this.#activity = activity
    this.#now = now
    this.#unknownPassword = unknownPassword
  }

  async write(plan: ImportPlan, taskOwner: string | undefined): Promise<ImportOutcome> {
    await lock(this.#db, permissionsLock)
    for (const user of plan.users) await this.#addUser(user)
    await this.#addNodes(plan)
    await this.#addPorts(plan)
    await this.#addTemplates(plan)
    const servers = await this.#addServers(plan)
    await this.#addClients(plan, new Set(servers.map(({ id }) => id)))
    return {
      counts: Object.fromEntries(this.#counts),
      notes: this.#notes,
      userIds: this.#userIds,
      taskOwner: await this.#taskOwner(taskOwner),
      servers,
    }
  }

  #count(kind: ImportKind, change: 'added' | 'existing', by = 1): void {
    const count = this.#counts.get(kind) ?? { added: 0, existing: 0 }
    count[change] += by
    this.#counts.set(kind, count)
  }

  /** The named user, else the first administrator of the other panel who is one here, too. */
  async #taskOwner(who: string | undefined): Promise<number | undefined> {
    const named =
      who === undefined ? undefined : (await requireUserById(this.#db, await requireUserId(this.#db, who))).id
    const candidates = named === undefined ? [...this.#userIds.values()] : [named]
    const getScopes = await scopesOfAll(this.#db, candidates)
    const owner = candidates.find((id) => getScopes(id).includes('servers.admin'))
    if (named !== undefined && owner === undefined)
      this.#notes.push(`task owner ${who}: is no administrator, and so may not run the tasks of every server`)
    return owner
  }

  async #addUser(user: ImportedUser): Promise<void> {
    if (!Email.safeParse(user.email).success) {
      this.#notes.push(`user ${user.username}: the email address ${user.email} is not valid`)
      return
    }
    const known = await userByEmail(this.#db, user.email)
    if (known && [...this.#userIds.values()].includes(known.id)) {
      this.#notes.push(`user ${user.username}: has the email address of another user, ${user.email}`)
      return
    }
    if (known) {
      this.#userIds.set(user.key, known.id)
      this.#count('users', 'existing')
      return
    }
    const username = await this.#freeUsername(user)
    const hash = user.passwordHash !== undefined && isSupportedHash(user.passwordHash) ? user.passwordHash : undefined
    if (hash === undefined)
      this.#notes.push(`user ${username}: the password cannot be carried over; set one with innkeeper user passwd`)
    const id = await addUser(
      this.#db,
      { ...user, username, password: hash ?? this.#unknownPassword, isEmailConfirmed: user.scopes.length > 0 },
      this.#now,
    )
    if (user.otpSecret !== undefined) {
      const row = { user_id: id, secret: user.otpSecret, is_on: 1, last_step: 0, created_at: this.#now }
      await this.#db.insertInto('two_factor').values(row).execute()
    }
    this.#userIds.set(user.key, id)
    this.#count('users', 'added')
    await this.#record('user.create', { target: userLabel({ id, username }) })
  }

  async #freeUsername({ username }: ImportedUser): Promise<string> {
    const isTaken = async (name: string) => {
      const row = await this.#db
        .selectFrom('users')
        .select('id')
        .where('username_key', '=', lowerCaseKey(name))
        .executeTakeFirst()
      return row !== undefined
    }
    const name = await uniqueName(validUsername(username), limits.usernameMax, '-', isTaken)
    if (name !== username) this.#notes.push(`user ${username}: is named ${name} here`)
    return name
  }

  async #addNodes({ nodes }: ImportPlan): Promise<void> {
    for (const node of nodes) {
      const { name } = node
      const known = await this.#db
        .selectFrom('nodes')
        .select('id')
        .where('name_key', '=', name.toLowerCase())
        .executeTakeFirst()
      const id = known?.id ?? (await nextId(this.#db, 'nodes'))
      this.#nodeIds.set(node.key, id)
      this.#count('nodes', known ? 'existing' : 'added')
      if (known) continue
      const row = {
        id,
        name,
        name_key: name.toLowerCase(),
        public_host: node.publicHost,
        public_port: node.publicPort,
        private_host: node.privateHost,
        private_port: node.privatePort,
        sftp_port: node.sftpPort,
        secret: newToken(),
        certificate: '',
        joined_at: null,
        created_at: this.#now,
      }
      await this.#db.insertInto('nodes').values(row).execute()
      this.#notes.push(
        `node ${name}: install Innkeeper on its machine with the settings of its page, then run the import there`,
      )
      await this.#record('node.create', { target: `${name} (${id})` })
    }
  }

  /** A node that has ranges keeps them. */
  async #addPorts({ ports = [] }: ImportPlan): Promise<void> {
    for (const { node, ranges } of ports) {
      const nodeId = node === undefined ? localNodeId : this.#nodeIds.get(node)
      if (nodeId === undefined) continue
      const row = { node_id: nodeId, ranges: JSON.stringify(ranges) }
      await insertIfAbsent(this.#db, 'node_ports', row)
    }
  }

  async #addTemplates({ templates }: ImportPlan): Promise<void> {
    for (const { name, template } of templates) {
      const row = { name, body: JSON.stringify({ ...template, name }) }
      const isNew = await insertIfAbsent(this.#db, 'templates', row)
      this.#count('templates', isNew ? 'added' : 'existing')
      if (isNew) await this.#record('template.import', { target: name })
    }
  }

  async #addServers({ servers }: ImportPlan): Promise<ImportedServer[]> {
    const rows = await this.#db.selectFrom('servers').select(['id', 'name']).execute()
    const ids = new Set(rows.map(({ id }) => id))
    const names = new Set(rows.map(({ name }) => serverNameKey(name)))
    const imported: ImportedServer[] = []
    for (const server of servers) {
      if (ids.has(server.id)) {
        this.#count('servers', 'existing')
        imported.push(server)
        continue
      }
      const nodeId = server.node === undefined ? localNodeId : this.#nodeIds.get(server.node)
      if (nodeId === undefined) {
        this.#notes.push(`server ${server.name}: its node does not exist`)
        continue
      }
      const valid = toServerName(server.name) || server.id
      const name = await uniqueName(valid, limits.serverNameMax, ' ', (candidate) =>
        names.has(serverNameKey(candidate)),
      )
      if (name !== server.name) this.#notes.push(`server ${server.name}: is named ${name} here`)
      ids.add(server.id)
      names.add(serverNameKey(name))
      await this.#addServer(server, name, nodeId)
      imported.push(server)
    }
    return imported
  }

  async #addServer(server: ImportedServer, name: string, nodeId: number): Promise<void> {
    const { id, ip, port, type, template = null, suspended } = server
    const suspension = suspended === undefined ? {} : { suspended_at: this.#now, suspended_reason: suspended }
    const address = { node_id: nodeId, ip, port, type }
    const row = { id, ...nameColumns(name), ...address, created_at: this.#now, template, ...suspension }
    await this.#db.insertInto('servers').values(row).execute()
    this.#count('servers', 'added')
    await this.#record('server.create', { server: id, target: name })
    if (suspended !== undefined) await this.#record('server.suspend', { server: id, target: suspended })
    for (const { key, permissions } of server.users) {
      const userId = this.#userIds.get(key)
      if (userId === undefined) continue
      const granted = { server_id: id, user_id: userId, rights: formatPermissions(permissions) }
      if (!(await insertIfAbsent(this.#db, 'server_users', granted))) continue
      this.#count('permissions', 'added')
      // The same rule as for accounts from before addresses were confirmed.
      await this.#db
        .updateTable('users')
        .set({ email_confirmed_at: this.#now })
        .where('id', '=', userId)
        .where('email_confirmed_at', 'is', null)
        .where('created_at', '=', this.#now)
        .execute()
    }
  }

  async #addClients({ clients }: ImportPlan, servers: ReadonlySet<string>): Promise<void> {
    for (const { id, user, server, name, description, secretHash } of clients) {
      const userId = this.#userIds.get(user)
      if (userId === undefined || (server !== undefined && !servers.has(server)) || !isSupportedHash(secretHash)) {
        this.#notes.push(`OAuth2 client ${name || id}: its user, server or secret was not carried over`)
        continue
      }
      const row = { id, user_id: userId, server_id: server ?? null, name, description, secret: secretHash }
      const isNew = await insertIfAbsent(this.#db, 'oauth2_clients', { ...row, created_at: this.#now })
      this.#count('clients', isNew ? 'added' : 'existing')
      if (isNew) await this.#record('client.create', { target: name || id })
    }
  }

  async #record(
    action: 'user.create' | 'server.create' | 'server.suspend' | 'node.create' | 'template.import' | 'client.create',
    subject: { readonly target: string; readonly server?: string },
  ): Promise<void> {
    await this.#activity.record({ action, ...subject, from: fromCommandLine, result: 'done' }, this.#db)
  }
}
