import { createInvite } from '@innkeeper/contract/accounts/invites'
import { createUser } from '@innkeeper/contract/accounts/users'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { putUserSetting } from '@innkeeper/contract/settings/panel'
import type { Database } from '@innkeeper/panel/database/schema'
import { type Client, isRetryable, type Reply } from './client.ts'

/** Stays below the hourly limit of mails per user over two rounds. */
const maxMails = 40

type Table = 'users' | 'invites' | 'user_settings' | 'servers'

/** Concurrent users who record every acknowledged write and retry the others. */
export class LoadGenerator {
  /** By table, then by the unique name of the row. */
  readonly acknowledgedWrites: Readonly<Record<Table, Map<string, string>>> = {
    users: new Map(),
    invites: new Map(),
    user_settings: new Map(),
    servers: new Map(),
  }
  /** Errors that a user must not see during an outage. */
  readonly unexpectedErrors: string[] = []
  acknowledged = 0
  /** How many requests were sent again. */
  retries = 0
  /** Status and refusal of the last one. */
  lastRetried: string | undefined
  readonly #node: number
  readonly #abortController = new AbortController()
  readonly #tasks: Promise<unknown>

  /** Each client is the session of a different user. */
  constructor(clients: readonly Client[], node: number, round: string) {
    this.#node = node
    this.#tasks = Promise.all(clients.map((client, index) => this.#work(client, `${round}${index + 1}`)))
  }

  /** Stops after the requests in flight. */
  async stop(): Promise<void> {
    this.#abortController.abort()
    await this.#tasks
  }

  /** Describes each acknowledged write that is missing or different in the database. */
  async findLostWrites(db: Database): Promise<string[]> {
    const rows: Readonly<Record<Table, ReadonlyMap<string, string>>> = {
      users: new Map((await db.selectFrom('users').selectAll().execute()).map((row) => [row.username, row.email])),
      invites: new Map((await db.selectFrom('invites').selectAll().execute()).map((row) => [row.email, ''])),
      user_settings: new Map(
        (await db.selectFrom('user_settings').selectAll().execute()).map((row) => [row.key, row.value]),
      ),
      servers: new Map((await db.selectFrom('servers').selectAll().execute()).map((row) => [row.name, row.id])),
    }
    return Object.entries(this.acknowledgedWrites).flatMap(([table, writes]) =>
      [...writes].flatMap(([name, value]) => {
        const found = rows[table as Table].get(name)
        return found === value
          ? []
          : [`${table} ${name}: ${found === undefined ? 'lost' : `'${found}' instead of '${value}'`}`]
      }),
    )
  }

  async #work(client: Client, user: string): Promise<void> {
    for (let number = 1; !this.#abortController.signal.aborted; number++) {
      const name = `load-${user}-${number}`
      await this.#putSetting(client, `load-${user}`, String(number))
      if (number % 4 === 0) await this.#addServer(client, name)
      if (number * 2 > maxMails) continue
      await this.#addUser(client, name)
      await this.#invite(client, name)
    }
  }

  async #putSetting(client: Client, key: string, value: string): Promise<void> {
    await this.#sendUntilAccepted(() => client.send(putUserSetting, { params: { key }, body: { value } }))
    this.#recordWrite('user_settings', key, value)
  }

  async #addUser(client: Client, username: string): Promise<void> {
    const email = `${username}@example.org`
    const body = { username, email, password: 'a lantern at night' }
    // A retry after a lost response finds the user of the first attempt.
    const alreadyDone = ['ErrDuplicateUsername', 'ErrDuplicateEmail']
    if (await this.#sendUntilAccepted(() => client.send(createUser, { body }), alreadyDone))
      this.#recordWrite('users', username, email)
  }

  async #invite(client: Client, name: string): Promise<void> {
    const email = `guest-${name}@example.org`
    if (await this.#sendUntilAccepted(() => client.send(createInvite, { body: { email } })))
      this.#recordWrite('invites', email, '')
  }

  /** Each attempt has a new name: the panel rolls back a server whose creation failed. */
  async #addServer(client: Client, name: string): Promise<void> {
    const definition = { type: 'test', data: {}, run: { command: 'cat' }, environment: { type: 'standard' } }
    for (let attempt = 1; attempt < 200; attempt++) {
      const serverName = `${name}.${attempt}`
      const reply = await client.send(createServer, { body: { ...definition, name: serverName, node: this.#node } })
      if (reply.refusal === undefined) {
        this.#recordWrite('servers', serverName, reply.body.id)
        return
      }
      if (!(await this.#shouldRetry(reply))) return
    }
  }

  #recordWrite(table: Table, name: string, value: string): void {
    this.acknowledgedWrites[table].set(name, value)
    this.acknowledged++
  }

  /** False after an unexpected error. `alreadyDone` are refusals that count as success on a retry. */
  async #sendUntilAccepted(send: () => Promise<Reply<unknown>>, alreadyDone: readonly string[] = []): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const reply = await send()
      if (reply.refusal === undefined) return true
      if (attempt > 1 && alreadyDone.includes(reply.refusal)) return true
      if (!(await this.#shouldRetry(reply))) return false
    }
  }

  async #shouldRetry(reply: Reply<unknown>): Promise<boolean> {
    if (!isRetryable(reply)) {
      this.unexpectedErrors.push(`${reply.status} ${reply.refusal}`)
      return false
    }
    this.retries++
    this.lastRetried = `${reply.status} ${reply.refusal}`
    await new Promise((resolve) => setTimeout(resolve, 100))
    return true
  }
}

/** Writes continuously through one panel and measures the longest time without success. */
export class Probe {
  #last = performance.now()
  #longest = 0
  readonly #abortController = new AbortController()
  readonly #tasks: Promise<void>

  constructor(client: Client, key: string) {
    this.#tasks = this.#write(client, key)
  }

  /** The longest time from one acknowledged write to the next, in milliseconds. */
  async stop(): Promise<number> {
    this.#abortController.abort()
    await this.#tasks
    return this.#longest
  }

  /** The time of the last acknowledged write, as `performance.now()`. */
  get lastWriteAt(): number {
    return this.#last
  }

  async #write(client: Client, key: string): Promise<void> {
    for (let value = 1; !this.#abortController.signal.aborted; value++) {
      const body = { value: String(value) }
      const { refusal } = await client.send(putUserSetting, { params: { key }, body })
      const now = performance.now()
      this.#longest = Math.max(this.#longest, now - this.#last)
      if (refusal === undefined) this.#last = now
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
