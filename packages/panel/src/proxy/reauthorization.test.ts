import { setTimeout as pause } from 'node:timers/promises'
import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { limits } from '@innkeeper/contract/text/limits'
import type { KyselyPlugin } from 'kysely'
import { expect } from 'vitest'
import { accessService } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { passwords } from '../auth/passwords.ts'
import { PrincipalCache } from '../auth/principal-cache.ts'
import { reauthentication } from '../auth/reauthentication.ts'
import { sessionsService } from '../auth/sessions.ts'
import { clientsService } from '../oauth2/clients.ts'
import { tokenResolver } from '../oauth2/token-resolver.ts'
import { rateLimiter } from '../security/rate-limiter.ts'
import { type TestPanel, type TestUser, test } from '../testing/test-panel.ts'
import { findChanged, type Grant } from './reauthorization.ts'

/** Services of a second panel with a database latency, and the number of its queries. */
function door({ db }: TestPanel, distanceMs = 0) {
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
  const [now, known] = [Date.now, new PrincipalCache(Date.now)]
  const mail = { queue: async () => false }
  const sessions = sessionsService({ db: counted, now, cache: known })
  const hashing = passwords({ cost: { memory: 64, passes: 1 } })
  const current = reauthentication({
    db: counted,
    passwords: hashing,
    limiter: rateLimiter({ db, now }),
    now,
  })
  const clients = clientsService({
    db: counted,
    cache: known,
    mail,
    passwords: hashing,
    reauthentication: current,
    networks: { use: async () => {} },
    now,
  })
  const live = tokenResolver({ sessions, clients })
  const access = accessService({ db: counted, resolveToken: live.resolve, now: Date.now })
  return {
    changed: (all: Iterable<Grant>) => findChanged(all, { access, resolveUncached: live.resolveUncached }),
    withdrawn: async (all: Iterable<Grant>) =>
      (await findChanged(all, { access, resolveUncached: live.resolveUncached })).revoked,
    async ground({ token }: Pick<TestUser, 'token'>, server: string): Promise<Grant> {
      const principal = await access.principal(token, '127.0.0.1')
      const { permissions } = await access.authorizeServer(principal, server, 'viewServer')
      return { principal, server, permissions }
    },
    statements: () => statements,
  }
}

const grantedPermissions: readonly ServerPermission[] = ['viewServerConsole', 'startServer']

test('a socket stays open while its credential is valid and has all permissions', async ({ testPanel }) => {
  const [server, other] = [await testPanel.server(), await testPanel.server()]
  const { withdrawn, changed, ground } = door(testPanel)
  const fellow = () => testPanel.createUser({ on: { [server]: grantedPermissions, [other]: grantedPermissions } })
  const [fewerPermissions, noAccess, loggedOut, deleted, more, untouched] = await Promise.all(
    Array.from({ length: 6 }, fellow),
  )
  const all = [fewerPermissions, noAccess, loggedOut, deleted, more, untouched].map((one) => one as TestUser)
  const [admin, fallen] = [await testPanel.admin(), await testPanel.admin()]
  const program = (await testPanel.createClient(untouched as TestUser)).client
  const ofServer = (await testPanel.createClient(untouched as TestUser, server)).client
  const grounds = await Promise.all([...all, admin, fallen, program, ofServer].map((one) => ground(one, server)))
  const elsewhere = await ground(fewerPermissions as TestUser, other)
  expect(await withdrawn([...grounds, elsewhere])).toEqual([])

  await testPanel.grant(fewerPermissions?.id ?? 0, server, ['viewServerConsole'])
  const of = (user: TestUser | undefined) => user?.id ?? 0
  await testPanel.db.deleteFrom('server_users').where('user_id', '=', of(noAccess)).execute()
  await testPanel.db.deleteFrom('sessions').where('user_id', '=', of(loggedOut)).execute()
  await testPanel.db.deleteFrom('users').where('id', '=', of(deleted)).execute()
  await testPanel.grant(of(more), server, [...grantedPermissions, 'stopServer'])
  await testPanel.db.deleteFrom('user_scopes').where('user_id', '=', fallen.id).execute()
  await testPanel.db.deleteFrom('oauth2_clients').where('server_id', '=', server).execute()

  const { revoked, extended } = await changed([...grounds, elsewhere])

  expect(extended).toEqual([grounds[4]])
  expect(revoked).toEqual([0, 1, 2, 3, 7, 9].map((at) => grounds[at]))
})

test('deleting a server closes its sockets, also those of administrators', async ({ testPanel }) => {
  const server = await testPanel.server()
  const { withdrawn, ground } = door(testPanel)
  const grounds = [await ground(await testPanel.admin(), server)]

  await testPanel.db.deleteFrom('servers').where('id', '=', server).execute()

  expect(await withdrawn(grounds)).toEqual(grounds)
})

test('two thousand sockets are checked with a few queries', async ({ testPanel }) => {
  const { withdrawn, ground, statements } = door(testPanel)
  const servers = await Promise.all(Array.from({ length: 20 }, () => testPanel.server()))
  const on = Object.fromEntries(servers.map((server) => [server, grantedPermissions]))
  const users: TestUser[] = []
  for (let at = 0; at < 100; at++) users.push(await testPanel.createUser({ on }))
  const permissions = (await ground(users[0] as TestUser, servers[0] ?? '')).permissions
  const principals: Principal[] = []
  for (const user of users) principals.push((await ground(user, servers[0] ?? '')).principal)
  const grounds = principals.flatMap((principal) => servers.map((server) => ({ principal, server, permissions })))
  const [one, quiet] = [principals[50] as Principal, statements()]
  await testPanel.db.deleteFrom('sessions').where('id', '=', one.sessionId).execute()

  const revoked = await withdrawn(grounds)

  expect(grounds).toHaveLength(2_000)
  expect(revoked).toEqual(grounds.filter(({ principal }) => principal === one))
  expect(statements() - quiet).toBeLessThanOrEqual(40)
})

test('hundreds of sockets are checked in time with a slow database', async ({ testPanel }) => {
  const near = door(testPanel)
  const far = door(testPanel, 30)
  const servers = await Promise.all(Array.from({ length: 20 }, () => testPanel.server()))
  const on = Object.fromEntries(servers.map((server) => [server, grantedPermissions]))
  const users: TestUser[] = []
  for (let at = 0; at < 30; at++) users.push(await testPanel.createUser({ on }))
  const { permissions } = await near.ground(users[0] as TestUser, servers[0] ?? '')
  const principals: Principal[] = []
  for (const user of users) principals.push((await near.ground(user, servers[0] ?? '')).principal)
  const grounds = principals.flatMap((principal) => servers.map((server) => ({ principal, server, permissions })))
  await testPanel.db
    .deleteFrom('sessions')
    .where('user_id', '=', users[7]?.id ?? 0)
    .execute()

  const from = performance.now()
  const revoked = await far.withdrawn(grounds)
  const durationMs = performance.now() - from

  expect([grounds.length, revoked.length]).toEqual([600, servers.length])
  // A check starts within `socketRecheckMs` of the change, or of the end of the previous check.
  expect(durationMs).toBeLessThan(5_000 - limits.socketRecheckMs)
})
