import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import type { ServerPermission } from '@innkeeper/contract/permissions'
import type { KyselyPlugin } from 'kysely'
import { expect } from 'vitest'
import { accessService } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { credentials } from '../auth/credentials.ts'
import { currentPassword } from '../auth/current-password.ts'
import { KnownCallers } from '../auth/known-callers.ts'
import { passwords } from '../auth/passwords.ts'
import { sessionsService } from '../auth/sessions.ts'
import { triesService } from '../auth/tries.ts'
import { clientsService } from '../oauth2/clients.ts'
import { type House, type Person, test } from '../testing/house.ts'
import { type Ground, withdrawn } from './grounds.ts'

/** The services of a panel on the house's database, so far away, and how many statements they made. */
function door({ db }: House, distanceMs = 0) {
  let statements = 0
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements++
      return node
    },
    async transformResult({ result }) {
      if (distanceMs > 0) await pause(distanceMs)
      return result
    },
  }
  const counted = db.withPlugin(counting)
  const [now, known] = [Date.now, new KnownCallers(Date.now)]
  const mail = { queue: async () => false }
  const sessions = sessionsService({ db: counted, now, known })
  const current = currentPassword({
    db: counted,
    passwords: passwords({ cost: { memory: 64, passes: 1 } }),
    tries: triesService({ db, now }),
    now,
  })
  const clients = clientsService({ db: counted, known, mail, currentPassword: current, now })
  const live = credentials({ sessions, clients })
  const access = accessService({ db: counted, callerOf: live.callerOf })
  return {
    withdrawn: (all: Iterable<Ground>) => withdrawn(all, { access, currentCallers: live.current }),
    async ground({ token }: Pick<Person, 'token'>, server: string): Promise<Ground> {
      const caller = await access.caller(token)
      const { rights } = await access.allow(caller, server, 'viewServer')
      return { caller, server, rights }
    },
    statements: () => statements,
  }
}

const flags: readonly ServerPermission[] = ['viewServerConsole', 'startServer']

test('a socket stands as long as its credential lives and every right that it was opened with', async ({ house }) => {
  const [server, other] = [await house.server(), await house.server()]
  const { withdrawn, ground } = door(house)
  const fellow = () => house.person({ on: { [server]: flags, [other]: flags } })
  const [lessRights, noAccess, loggedOut, deleted, more, untouched] = await Promise.all(
    Array.from({ length: 6 }, fellow),
  )
  const all = [lessRights, noAccess, loggedOut, deleted, more, untouched].map((one) => one as Person)
  const [admin, fallen] = [await house.admin(), await house.admin()]
  const program = (await house.clientOf(untouched as Person)).client
  const ofServer = (await house.clientOf(untouched as Person, server)).client
  const grounds = await Promise.all([...all, admin, fallen, program, ofServer].map((one) => ground(one, server)))
  const elsewhere = await ground(lessRights as Person, other)
  expect(await withdrawn([...grounds, elsewhere])).toEqual([])

  await house.give(lessRights?.id ?? 0, server, ['viewServerConsole'])
  const of = (person: Person | undefined) => person?.id ?? 0
  await house.db.deleteFrom('server_users').where('user_id', '=', of(noAccess)).execute()
  await house.db.deleteFrom('sessions').where('user_id', '=', of(loggedOut)).execute()
  await house.db.deleteFrom('users').where('id', '=', of(deleted)).execute()
  await house.give(of(more), server, [...flags, 'stopServer'])
  await house.db.deleteFrom('user_scopes').where('user_id', '=', fallen.id).execute()
  await house.db.deleteFrom('oauth2_clients').where('server_id', '=', server).execute()

  const gone = await withdrawn([...grounds, elsewhere])

  expect(gone).toEqual([0, 1, 2, 3, 7, 9].map((at) => grounds[at]))
})

test('a server that is gone takes its sockets with it, also those of administrators', async ({ house }) => {
  const server = await house.server()
  const { withdrawn, ground } = door(house)
  const grounds = [await ground(await house.admin(), server)]

  await house.db.deleteFrom('servers').where('id', '=', server).execute()

  expect(await withdrawn(grounds)).toEqual(grounds)
})

test('two thousand sockets are looked at with a few questions to the database', async ({ house }) => {
  const { withdrawn, ground, statements } = door(house)
  const servers = await Promise.all(Array.from({ length: 20 }, () => house.server()))
  const on = Object.fromEntries(servers.map((server) => [server, flags]))
  const people: Person[] = []
  for (let at = 0; at < 100; at++) people.push(await house.person({ on }))
  const rights = (await ground(people[0] as Person, servers[0] ?? '')).rights
  const callers: Caller[] = []
  for (const person of people) callers.push((await ground(person, servers[0] ?? '')).caller)
  const grounds = callers.flatMap((caller) => servers.map((server) => ({ caller, server, rights })))
  const [one, quiet] = [callers[50] as Caller, statements()]
  await house.db.deleteFrom('sessions').where('id', '=', one.sessionId).execute()

  const gone = await withdrawn(grounds)

  expect(grounds).toHaveLength(2_000)
  expect(gone).toEqual(grounds.filter(({ caller }) => caller === one))
  expect(statements() - quiet).toBeLessThanOrEqual(40)
})

test('hundreds of sockets are looked at in time, also where each question to the database takes 30 ms', async ({
  house,
}) => {
  const near = door(house)
  const far = door(house, 30)
  const servers = await Promise.all(Array.from({ length: 20 }, () => house.server()))
  const on = Object.fromEntries(servers.map((server) => [server, flags]))
  const people: Person[] = []
  for (let at = 0; at < 30; at++) people.push(await house.person({ on }))
  const { rights } = await near.ground(people[0] as Person, servers[0] ?? '')
  const callers: Caller[] = []
  for (const person of people) callers.push((await near.ground(person, servers[0] ?? '')).caller)
  const grounds = callers.flatMap((caller) => servers.map((server) => ({ caller, server, rights })))
  await house.db
    .deleteFrom('sessions')
    .where('user_id', '=', people[7]?.id ?? 0)
    .execute()

  const from = performance.now()
  const gone = await far.withdrawn(grounds)
  const took = performance.now() - from

  expect([grounds.length, gone.length]).toEqual([600, servers.length])
  // A look begins within `socketRecheckMs` of what it is to find, or of the look before.
  expect(took).toBeLessThan(5_000 - limits.socketRecheckMs)
})
