import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { login } from '@innkeeper/contract/auth'
import { createInvite } from '@innkeeper/contract/invites'
import { limits } from '@innkeeper/contract/limits'
import { getReadiness, getSelf } from '@innkeeper/contract/panel'
import { putSetting } from '@innkeeper/contract/settings'
import { createUser } from '@innkeeper/contract/users'
import { connect } from '@innkeeper/panel/database/database'
import { MigrationLease } from '@innkeeper/panel/database/migration-lock'
import { sql } from 'kysely'
import { type Drill, until } from '../stage/drill.ts'
import { Client } from './client.ts'
import { type GaleraNode, startGalera } from './galera.ts'
import { Outage } from './outage.ts'
import { keeper, TwoPanels } from './panels.ts'

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))

/** Three MariaDB servers that can all be written to; each panel prefers another one. */
export async function overGalera(drill: Drill, folder: string): Promise<void> {
  await chmod(folder, 0o755)
  const [first, second, third] = await startGalera(drill, folder)
  const way = (name: string, nodes: readonly GaleraNode[]) =>
    ({ name, kind: 'mariadb', servers: nodes.map(({ port }) => port) }) as const
  const ways = [way('database-1', [first, third, second]), way('database-2', [second, third, first])]
  const urlOf = (port: number) => `mariadb://innkeeper@127.0.0.1:${port}/innkeeper`
  let panels: TwoPanels | undefined
  await drill.showFirst('Galera: two panels that start at once on an empty cluster both come up', async () => {
    panels = await TwoPanels.start(drill, folder, ways, urlOf)
  })
  if (!panels) return
  await showConflicts(drill, panels, second)
  const outage = await Outage.prepare(drill, 'Galera', panels)
  await outage.show('a node is killed', () => first.crash())
  await outage.show('a second one is killed, and the last is told to go on alone', async () => {
    await second.crash()
    await showMinority(drill, panels as TwoPanels, third)
    await third.ask("set global wsrep_provider_options = 'pc.bootstrap=YES'")
  })
  await outage.showWhatIsThere(third.url())
}

/** What happens on two nodes at the same moment, to the same rows. */
async function showConflicts(drill: Drill, panels: TwoPanels, node: GaleraNode): Promise<void> {
  const admin = await panels.administrator()
  const [one, other] = panels.urls.map((url) => admin.at(url)) as [Client, Client]
  const db = connect(node.url())
  drill.atEnd(() => db.destroy())
  // A panel may know for so long only that there is no mail yet.
  await pause(limits.settingsCacheMs)

  await drill.show('Galera: what is done on one panel is there on the other in the next moment', async () => {
    for (let at = 0; at < 30; at++) {
      const [here, there] = at % 2 ? [one, other] : [other, one]
      const email = `seen-${at}@example.org`
      await here.must(createInvite, { body: { email } })
      const { status, refusal } = await there.send(createUser, {
        body: { username: `seen-${at}`, email, password: 'a lantern at night' },
      })
      if (status !== 200) throw new Error(`${status} ${refusal}`)
      const again = {
        body: { username: `seen-${at}`, email: `else-${at}@example.org`, password: 'a lantern at night' },
      }
      const second = await here.send(createUser, again)
      if (second.refusal !== 'ErrDuplicateUsername') throw new Error(`${second.status} ${second.refusal}`)
    }
  })
  await drill.show(
    'Galera: who logs in on one panel is known on the other, even while its node lags behind',
    async () => {
      const held = Promise.withResolvers<void>()
      const isHeld = Promise.withResolvers<void>()
      const holding = db.connection().execute(async (only) => {
        await sql`flush tables with read lock`.execute(only)
        isHeld.resolve()
        await held.promise
        await sql`unlock tables`.execute(only)
      })
      await Promise.race([isHeld.promise, holding])
      const person = await new Client(one.url).logIn(keeper)
      const asking = person.at(other.url).send(getSelf, {})
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      held.resolve()
      await holding
      const { status, refusal } = await asking
      if (status !== 200) throw new Error(`${status} ${refusal}`)
    },
  )
  await drill.show('Galera: of two who take one name on two nodes at once, one gets it', async () => {
    for (let at = 0; at < 20; at++) {
      const body = (from: number) => ({
        username: `taken-${at}`,
        email: `taken-${at}-${from}@example.org`,
        password: 'a lantern at night',
      })
      const replies = await Promise.all(
        [one, other].map((client, from) => client.send(createUser, { body: body(from) })),
      )
      const statuses = replies.map(({ status }) => status).sort()
      if (statuses.join() !== '200,409') throw new Error(`both were answered ${statuses.join()}`)
    }
  })
  await drill.show('Galera: a setting that is changed on two nodes at once is what one of them was told', async () => {
    const put = (client: Client, value: string) =>
      client.send(putSetting, { params: { key: 'panel.settings.companyName' }, body: { value } } as never)
    let conflicts = 0
    for (let at = 0; at < 40; at++) {
      const values = [`one ${at}`, `other ${at}`]
      const replies = await Promise.all([put(one, values[0] as string), put(other, values[1] as string)])
      const wrong = replies.find(({ refusal }) => refusal !== undefined)
      if (wrong) throw new Error(`${wrong.status} ${wrong.refusal}`)
      const rows = await db.selectFrom('settings').selectAll().where('key', '=', 'panel.settings.companyName').execute()
      if (rows.length !== 1 || !values.includes(rows[0]?.value ?? '')) throw new Error(`it is ${rows[0]?.value}`)
    }
    for (const name of ['wsrep_local_bf_aborts', 'wsrep_local_cert_failures'])
      conflicts += Number(await node.status(name))
    return `${conflicts} conflicts on that node so far`
  })
  await drill.show('Galera: guesses on two nodes at once are counted together', async () => {
    const guess = (client: Client) =>
      client.send(login, { body: { email: 'nobody@example.org', password: 'not the right one' } })
    const replies = await Promise.all(Array.from({ length: 30 }, (_, at) => guess(at % 2 ? one : other)))
    const judged = replies.filter(({ status }) => status === 400).length
    const stopped = replies.filter(({ status }) => status === 429).length
    if (judged !== limits.loginAttempts || judged + stopped !== 30)
      throw new Error(`${judged} were judged: ${replies.map(({ status }) => status).join()}`)
  })
  await drill.show('Galera: of programs that change the tables from two nodes, one does at a time', async () => {
    const row = { lockTable: 'kysely_migration_lock', lockRowId: 'migration_lock' }
    const times = { migrationHeartbeatMs: 300, migrationLeaseMs: 60_000 }
    const take = (at: number, given = times) =>
      MigrationLease.acquire(connect(panels.databaseUrls[at % 2] ?? ''), row, given)
    let working = 0
    const turns = [0, 1, 2, 3].map(async (at) => {
      const lease = await take(at)
      if (++working > 1) throw new Error('two did at once')
      await new Promise((resolve) => setTimeout(resolve, 500))
      working--
      await lease.end()
    })
    await Promise.all(turns)
    const dead = await take(0, { ...times, migrationHeartbeatMs: 60_000 })
    const next = await take(1, { ...times, migrationLeaseMs: 1_000 })
    await dead.end()
    await next.end()
  })
  await drill.show('Galera: a key that is changed from two nodes at once is changed once', async () => {
    const rotate = async (url: string) => {
      const env = { PATH: '/usr/bin:/bin', INNKEEPER_DATABASE_URL: url }
      const { stdout } = await promisify(execFile)(process.execPath, [main, 'panel', 'rotate-key'], { env })
      return stdout.includes('A new key was created') ? 'created' : 'inProgress'
    }
    const ends = await Promise.all(panels.databaseUrls.map(rotate))
    const rows = await db.selectFrom('signing_keys').select('id').execute()
    if (ends.sort().join() !== 'created,inProgress' || rows.length !== 2)
      throw new Error(`${ends.join()}, and there are ${rows.length} keys`)
  })
}

/** One of three that hears of no other must not go on by itself: nobody knows what the others do. */
async function showMinority(drill: Drill, panels: TwoPanels, last: GaleraNode): Promise<void> {
  await until('the last node knows that it is alone', async () => (await last.status('wsrep_ready')) === 'OFF')
  await drill.show('Galera: panels on a node that is cut off say that the database is not available', async () => {
    for (const url of panels.urls) {
      const { refusal } = await new Client(url).send(getReadiness, {})
      if (refusal !== 'ErrDatabaseNotAvailable') throw new Error(`answered ${refusal}`)
      const body = { email: 'anyone@example.org', password: 'not the right one' }
      const attempt = await new Client(url).send(login, { body })
      if (attempt.refusal !== 'ErrDatabaseNotAvailable') throw new Error(`answered ${attempt.refusal}`)
    }
  })
}
