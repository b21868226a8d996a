import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { databaseCheck } from '@innkeeper/cli/doctor/service-checks'
import { login } from '@innkeeper/contract/accounts/auth'
import { createInvite } from '@innkeeper/contract/accounts/invites'
import { createUser } from '@innkeeper/contract/accounts/users'
import { getReadiness, getSelf } from '@innkeeper/contract/settings/panel'
import { putSetting } from '@innkeeper/contract/settings/settings'
import { connect } from '@innkeeper/panel/database/database'
import { MigrationLease } from '@innkeeper/panel/database/migration-lock'
import { maxLoginAttempts } from '@innkeeper/panel/security/rate-limiter'
import { settingsCacheMs } from '@innkeeper/panel/settings/settings'
import { sql } from 'kysely'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { Client } from './client.ts'
import { type GaleraNode, lockWaitSeconds, startGalera } from './galera-cluster.ts'
import { OutageScenario } from './outage-scenario.ts'
import { adminAccount, PanelPair } from './panel-pair.ts'

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))

/** Three MariaDB servers with Galera, all writable. Each panel prefers a different one. */
export async function galeraSuite(suite: Suite, folder: string): Promise<void> {
  await chmod(folder, 0o755)
  const [first, second, third] = await startGalera(suite, folder)
  const listener = (name: string, nodes: readonly GaleraNode[]) =>
    ({ name, type: 'mariadb', servers: nodes.map(({ port }) => port) }) as const
  const listeners = [listener('database-1', [first, third, second]), listener('database-2', [second, third, first])]
  const databaseUrl = (port: number) => `mariadb://innkeeper@127.0.0.1:${port}/innkeeper`
  let panels: PanelPair | undefined
  await suite.checkRequired('Galera: two panels start at the same time on an empty cluster', async () => {
    panels = await PanelPair.start(suite, folder, listeners, databaseUrl)
  })
  if (!panels) return
  await checkDoctor(suite, third)
  await checkConflicts(suite, panels, second)
  const scenario = await OutageScenario.prepare(suite, 'Galera', panels)
  await scenario.run('one node killed', () => first.crash())
  await scenario.run('second node killed, last one bootstrapped', async () => {
    await second.crash()
    await checkMinority(suite, panels as PanelPair, third)
    await third.query("set global wsrep_provider_options = 'pc.bootstrap=YES'")
  })
  await scenario.checkStoredData(third.url())
}

async function checkDoctor(suite: Suite, node: GaleraNode): Promise<void> {
  await suite.check('Galera: innkeeper doctor warns about a long lock wait', async () => {
    const check = async () => [await databaseCheck(node.url()).run(suite.signal)].flat()[0]?.state
    const recommended = await check()
    await node.query('set global innodb_lock_wait_timeout = 50')
    const long = await check()
    await node.query(`set global innodb_lock_wait_timeout = ${lockWaitSeconds}`)
    if (recommended !== 'ok' || long !== 'warning') throw new Error(`it said ${recommended} and ${long}`)
  })
}

/** Concurrent changes of the same rows on two nodes. */
async function checkConflicts(suite: Suite, panels: PanelPair, node: GaleraNode): Promise<void> {
  const admin = await panels.logInAsAdmin()
  const [one, other] = panels.urls.map((url) => admin.withUrl(url)) as [Client, Client]
  const db = await connect(node.url())
  suite.onCleanup(() => db.destroy())
  // Until then, a panel may have cached that mail is not configured.
  await pause(settingsCacheMs)

  await suite.check('Galera: a change on one panel is visible on the other at once', async () => {
    for (let round = 0; round < 30; round++) {
      const [here, there] = round % 2 ? [one, other] : [other, one]
      const email = `visible-${round}@example.org`
      await here.sendOrThrow(createInvite, { body: { email } })
      const { status, refusal } = await there.send(createUser, {
        body: { username: `visible-${round}`, email, password: 'a lantern at night' },
      })
      if (status !== 200) throw new Error(`${status} ${refusal}`)
      const duplicate = {
        body: { username: `visible-${round}`, email: `duplicate-${round}@example.org`, password: 'a lantern at night' },
      }
      const second = await here.send(createUser, duplicate)
      if (second.refusal !== 'ErrDuplicateUsername') throw new Error(`${second.status} ${second.refusal}`)
    }
  })
  await suite.check('Galera: a session created on one panel is valid on the other while its node lags', async () => {
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const lock = db.connection().execute(async (connection) => {
      await sql`flush tables with read lock`.execute(connection)
      locked.resolve()
      await release.promise
      await sql`unlock tables`.execute(connection)
    })
    await Promise.race([locked.promise, lock])
    const session = await new Client(one.url).logIn(adminAccount)
    const response = session.withUrl(other.url).send(getSelf, {})
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    release.resolve()
    await lock
    const { status, refusal } = await response
    if (status !== 200) throw new Error(`${status} ${refusal}`)
  })
  await suite.check('Galera: when two requests on two nodes take the same username, one succeeds', async () => {
    for (let round = 0; round < 20; round++) {
      const body = (panel: number) => ({
        username: `taken-${round}`,
        email: `taken-${round}-${panel}@example.org`,
        password: 'a lantern at night',
      })
      const replies = await Promise.all(
        [one, other].map((client, panel) => client.send(createUser, { body: body(panel) })),
      )
      const statuses = replies.map(({ status }) => status).sort()
      if (statuses.join() !== '200,409') throw new Error(`the statuses were ${statuses.join()}`)
    }
  })
  await suite.check('Galera: a setting changed on two nodes at the same time has one of the two values', async () => {
    const put = (client: Client, value: string) =>
      client.send(putSetting, { params: { key: 'panel.settings.companyName' }, body: { value } } as never)
    let conflicts = 0
    for (let round = 0; round < 40; round++) {
      const values = [`one ${round}`, `other ${round}`]
      const replies = await Promise.all([put(one, values[0] as string), put(other, values[1] as string)])
      const failed = replies.find(({ refusal }) => refusal !== undefined)
      if (failed) throw new Error(`${failed.status} ${failed.refusal}`)
      const rows = await db.selectFrom('settings').selectAll().where('key', '=', 'panel.settings.companyName').execute()
      if (rows.length !== 1 || !values.includes(rows[0]?.value ?? ''))
        throw new Error(`the stored value is ${rows[0]?.value}`)
    }
    for (const name of ['wsrep_local_bf_aborts', 'wsrep_local_cert_failures'])
      conflicts += Number(await node.status(name))
    return `${conflicts} write conflicts on one node so far`
  })
  await suite.check('Galera: login attempts on two nodes share one rate limit', async () => {
    const attempt = (client: Client) =>
      client.send(login, { body: { email: 'nobody@example.org', password: 'not the right one' } })
    const replies = await Promise.all(Array.from({ length: 30 }, (_, index) => attempt(index % 2 ? one : other)))
    const checked = replies.filter(({ status }) => status === 400).length
    const rejected = replies.filter(({ status }) => status === 429).length
    if (checked !== maxLoginAttempts || checked + rejected !== 30)
      throw new Error(`${checked} passwords were checked: ${replies.map(({ status }) => status).join()}`)
  })
  await suite.check('Galera: the migration lease lets one program at a time migrate', async () => {
    const row = { lockTable: 'kysely_migration_lock', lockRowId: 'migration_lock' }
    const intervals = { heartbeatMs: 300, leaseMs: 60_000 }
    const acquire = async (panel: number, options = intervals) =>
      MigrationLease.acquire(await connect(panels.databaseUrls[panel % 2] ?? ''), row, options)
    let holders = 0
    const programs = [0, 1, 2, 3].map(async (panel) => {
      const lease = await acquire(panel)
      if (++holders > 1) throw new Error('two programs held the lease')
      await new Promise((resolve) => setTimeout(resolve, 500))
      holders--
      await lease.end()
    })
    await Promise.all(programs)
    const expired = await acquire(0, { ...intervals, heartbeatMs: 60_000 })
    const next = await acquire(1, { ...intervals, leaseMs: 1_000 })
    await expired.end()
    await next.end()
  })
  await suite.check('Galera: a key rotation started on two nodes at the same time happens once', async () => {
    const rotate = async (url: string) => {
      const env = { PATH: '/usr/bin:/bin', INNKEEPER_DATABASE_URL: url }
      const { stdout } = await promisify(execFile)(process.execPath, [main, 'panel', 'rotate-key'], { env })
      return stdout.includes('A new key was created') ? 'created' : 'inProgress'
    }
    const results = await Promise.all(panels.databaseUrls.map(rotate))
    const rows = await db.selectFrom('signing_keys').select('id').execute()
    if (results.sort().join() !== 'created,inProgress' || rows.length !== 2)
      throw new Error(`the results were ${results.join()}, and there are ${rows.length} keys`)
  })
}

/** A node without quorum must not accept writes. */
async function checkMinority(suite: Suite, panels: PanelPair, last: GaleraNode): Promise<void> {
  await waitUntil(
    'the last node has noticed that it has no quorum',
    async () => (await last.status('wsrep_ready')) === 'OFF',
  )
  await suite.check('Galera: panels on a node without quorum report that the database is unavailable', async () => {
    for (const url of panels.urls) {
      const { refusal } = await new Client(url).send(getReadiness, {})
      if (refusal !== 'ErrDatabaseNotAvailable') throw new Error(`readiness: ${refusal}`)
      const body = { email: 'anyone@example.org', password: 'not the right one' }
      const response = await new Client(url).send(login, { body })
      if (response.refusal !== 'ErrDatabaseNotAvailable') throw new Error(`login: ${response.refusal}`)
    }
  })
}
