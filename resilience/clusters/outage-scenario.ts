import { login } from '@innkeeper/contract/accounts/auth'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { connect } from '@innkeeper/panel/database/database'
import type { Database } from '@innkeeper/panel/database/schema'
import { mailLeaseMs } from '@innkeeper/panel/mail/worker'
import { maxLoginAttempts } from '@innkeeper/panel/security/rate-limiter'
import { rollbackDeadlineMs } from '@innkeeper/panel/servers/server-rows'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { Client } from './client.ts'
import { LoadGenerator, Probe } from './load-generator.ts'
import type { PanelPair } from './panel-pair.ts'

const maxRecoveryMs = 15_000
const workerCount = 4
/** Characters of the panels' logs that a failure shows. */
const shownLogLength = 6_000

/** Users work while a database server fails. Checks availability during the failure and the data after it. */
export class OutageScenario {
  readonly #suite: Suite
  readonly #engine: string
  readonly #panels: PanelPair
  readonly #users: readonly Client[]
  readonly #probeClients: readonly Client[]
  readonly #node: number
  readonly #loads: LoadGenerator[] = []

  private constructor(suite: Suite, engine: string, panels: PanelPair, users: readonly Client[], node: number) {
    this.#suite = suite
    this.#engine = engine
    this.#panels = panels
    this.#users = users.slice(0, workerCount)
    this.#probeClients = users.slice(workerCount)
    this.#node = node
  }

  /** Creates users and a node, and configures mail. */
  static async prepare(suite: Suite, engine: string, panels: PanelPair): Promise<OutageScenario> {
    const admin = await panels.logInAsAdmin()
    const users = await panels.createAdmins(admin, workerCount + panels.urls.length)
    return new OutageScenario(suite, engine, panels, users, await panels.joinNode(admin))
  }

  /** Injects the fault under load and checks that the panels recover. Prints the end of their logs if they do not. */
  async run(fault: string, injectFault: () => Promise<void>): Promise<void> {
    const failedBefore = this.#suite.failed
    let isComplete = false
    try {
      await this.#run(fault, injectFault)
      isComplete = this.#suite.failed === failedBefore
    } finally {
      if (!isComplete) {
        this.#suite.log(`the last write that was tried again: ${this.#loads.at(-1)?.lastRetried ?? 'none'}`)
        this.#suite.log(`the end of the logs of the panels:\n${(await this.#panels.logs()).slice(-shownLogLength)}`)
      }
    }
  }

  async #run(fault: string, injectFault: () => Promise<void>): Promise<void> {
    const title = (claim: string) => `${this.#engine}, ${fault}: ${claim}`
    const guessedEmail = `guess-${this.#loads.length}@example.org`
    const attemptsBefore = maxLoginAttempts - 4
    await this.#attemptLogins(guessedEmail, attemptsBefore)

    const load = new LoadGenerator(this.#users, this.#node, `r${this.#loads.length + 1}w`)
    this.#loads.push(load)
    const probes = this.#panels.urls.map(
      (url, index) => new Probe(this.#clientFor(index).withUrl(url), `probe-${index}`),
    )
    await waitUntil('the load generator has written for a while', () => load.acknowledged > 60)
    const [failedAt, acknowledged] = [performance.now(), load.acknowledged]
    await injectFault()
    let recoveryMs = Number.POSITIVE_INFINITY
    await waitUntil(
      'every panel writes again',
      () => {
        const haveRecovered = probes.every(({ lastWriteAt }) => lastWriteAt > failedAt + 1_000)
        if (haveRecovered) recoveryMs = performance.now() - failedAt
        return haveRecovered
      },
      { timeoutMs: 60_000 },
    ).catch(() => {})
    await waitUntil('the load generator writes again', () => load.acknowledged > acknowledged + 60, {
      timeoutMs: 60_000,
    })
    const gaps = await Promise.all(probes.map((probe) => probe.stop()))
    await load.stop()

    const longest = Math.max(...gaps)
    await this.#suite.check(title('every panel writes again within 15 s'), async () => {
      if (!Number.isFinite(recoveryMs) || longest > maxRecoveryMs) throw new Error(`recovery took ${seconds(longest)}`)
      return `longest time without a write: ${gaps.map(seconds).join(' and ')}`
    })
    await this.#suite.check(title('users see only temporary errors, and both panels become ready'), async () => {
      if (load.unexpectedErrors.length > 0) throw new Error([...new Set(load.unexpectedErrors)].join(', '))
      await waitUntil('both panels are ready', () => this.#panels.areReady())
      return `${load.acknowledged} writes acknowledged, ${load.retries} retries`
    })
    await this.#suite.check(title('sessions stay valid on both panels'), async () => {
      for (const url of this.#panels.urls)
        for (const user of this.#users) await user.withUrl(url).sendOrThrow(getSelf, {})
    })
    await this.#suite.check(title('the rate limit of logins keeps counting'), async () => {
      const statuses = await this.#attemptLogins(guessedEmail, maxLoginAttempts - attemptsBefore + 1)
      const expected = [...Array<number>(maxLoginAttempts - attemptsBefore).fill(400), 429]
      if (statuses.join() !== expected.join())
        throw new Error(`the statuses were ${statuses.join()} instead of ${expected.join()}`)
    })
  }

  /** Checks the database and the delivered mails after all faults. */
  async checkStoredData(url: string): Promise<void> {
    const db = await connect(url)
    try {
      await this.#suite.check(`${this.#engine}: no acknowledged write is lost`, async () => {
        const lost = (await Promise.all(this.#loads.map((load) => load.findLostWrites(db)))).flat()
        if (lost.length > 0) throw new Error(`${lost.length} lost: ${lost.slice(0, 5).join('; ')}`)
        const count = this.#loads.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
        return `${count} of ${count}`
      })
      await this.#suite.check(`${this.#engine}: no server remains from a failed creation`, () =>
        this.#checkNoOrphanedServers(db),
      )
      await this.#suite.check(`${this.#engine}: every mail was sent once`, () => this.#checkMailsSentOnce(db))
    } finally {
      await db.destroy()
    }
  }

  async #checkNoOrphanedServers(db: Database): Promise<string> {
    const acknowledged = new Set(this.#loads.flatMap((load) => [...load.acknowledgedWrites.servers.keys()]))
    let orphans: string[] = []
    await waitUntil(
      'failed creations are rolled back',
      async () => {
        const rows = await db.selectFrom('servers').select('name').execute()
        orphans = rows.map(({ name }) => name).filter((name) => !acknowledged.has(name))
        return orphans.length === 0
      },
      { timeoutMs: rollbackDeadlineMs },
    ).catch(() => {
      throw new Error(`these servers were never acknowledged: ${orphans.join(', ')}`)
    })
    return `${acknowledged.size} servers`
  }

  async #checkMailsSentOnce(db: Database): Promise<string> {
    // A mail that a panel had leased when it lost its database is sent again after the lease expires.
    await waitUntil(
      'the mail queue is empty',
      async () => {
        const pending = await db.selectFrom('mails').select('id').where('state', 'in', ['waiting', 'sending']).execute()
        return pending.length === 0
      },
      { timeoutMs: mailLeaseMs + 60_000, intervalMs: 1_000 },
    )
    const rows = await db.selectFrom('mails').select(['id', 'state']).execute()
    const failed = rows.filter(({ state }) => state !== 'sent')
    const deliveredIds = this.#panels.mail.received.map(({ headers }) => headers['message-id'] ?? '')
    const duplicates = deliveredIds.filter((id, index) => deliveredIds.indexOf(id) !== index)
    if (failed.length > 0) throw new Error(`${failed.length} were not sent`)
    if (duplicates.length > 0) throw new Error(`${duplicates.length} were sent twice`)
    if (deliveredIds.length !== rows.length)
      throw new Error(`${rows.length} in the queue, ${deliveredIds.length} delivered`)
    return `${deliveredIds.length} of ${rows.length}`
  }

  async #attemptLogins(email: string, count: number): Promise<number[]> {
    const statuses = []
    for (let index = 0; index < count; index++) {
      const url = this.#panels.urls[index % this.#panels.urls.length] ?? ''
      const { status } = await new Client(url).send(login, { body: { email, password: 'not the right one' } })
      statuses.push(status)
    }
    return statuses
  }

  #clientFor(index: number): Client {
    const client = this.#probeClients[index]
    if (!client) throw new Error('there are too few users for the probes')
    return client
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
