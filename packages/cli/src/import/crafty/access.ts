import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { permissionOfPlayerAction } from '@innkeeper/contract/definitions/player-actions'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedServer, ImportedUser } from '@innkeeper/panel/import/import-plan'
import { emailFor, findLanguage, isOtpSecret } from '../conversions.ts'
import { flagIn, textIn } from '../rows.ts'

interface AccessRows {
  readonly users: readonly ForeignRow[]
  readonly userRoles: readonly ForeignRow[]
  readonly roleServers: readonly ForeignRow[]
  readonly totp: readonly ForeignRow[]
  readonly servers: readonly ForeignRow[]
}

/** Accounts of the program itself. */
const internalUsers = ['system', 'anti-lockout-user']
/** The address that every user has unless one is set. */
const defaultEmail = 'default@example.com'

/** What the places of a mask of a role permit: commands, terminal, logs, schedule, backup, files, config, players. */
const masks: readonly (readonly ServerPermission[])[] = [
  ['startServer', 'stopServer'],
  ['viewServerConsole', 'sendServerConsole'],
  ['viewServerConsole'],
  [],
  ['viewServerBackups', 'createServerBackups', 'restoreServerBackups'],
  ['viewServerFiles', 'putServerFiles'],
  ['editServerData'],
  ['viewServerPlayers', ...Object.values(permissionOfPlayerAction)],
]

/** Places of a mask without a counterpart, unless another one includes them. */
const lostMasks = [{ at: 3, title: 'schedules', includedBy: 'editServerData' }] as const

export function getAccess(rows: AccessRows, emailDomain: string, notes: string[]) {
  const taken = new Set(rows.users.map((row) => (textIn(row, 'email') ?? '').toLowerCase()))
  const users = rows.users.flatMap((row): ImportedUser[] => {
    const [key, username] = [textIn(row, 'user_id') ?? '', textIn(row, 'username') ?? '']
    if (internalUsers.includes(username)) {
      notes.push(`user ${username}: is an account of Crafty itself`)
      return []
    }
    if (!flagIn(row, 'enabled')) {
      notes.push(`user ${username}: is disabled there`)
      return []
    }
    const isPasswordOff = flagIn(row, 'disable_password_auth')
    if (isPasswordOff)
      notes.push(`user ${username}: signs in by passkey only there, so the password is not carried over`)
    const email = textIn(row, 'email') ?? ''
    const isOwn = email !== '' && email !== defaultEmail
    const address = isOwn ? email : emailFor(username, emailDomain, taken)
    if (!isOwn) notes.push(`user ${username}: logs in as ${address}, because there is no address`)
    const factors = rows.totp.filter((other) => textIn(other, 'user_id') === key)
    if (factors.length > 1)
      notes.push(`user ${username}: only the first of ${factors.length} second factors is carried over`)
    const secret = rows.totp.find((row) => textIn(row, 'user_id') === key)
    const otpSecret = (secret && textIn(secret, 'totp_secret')) ?? ''
    if (otpSecret !== '' && !isOtpSecret(otpSecret))
      notes.push(`user ${username}: the second factor is not readable, and is off`)
    return [
      {
        key,
        username,
        email: address,
        passwordHash: isPasswordOff ? undefined : textIn(row, 'password'),
        otpSecret: isOtpSecret(otpSecret) ? otpSecret : undefined,
        scopes: flagIn(row, 'superuser') ? ['servers.admin'] : [],
        language: findLanguage(textIn(row, 'lang') ?? '', (text) => notes.push(`user ${username}: ${text}`)),
      },
    ]
  })
  return { users, servers: getPermissions(rows, notes) }
}

/** The permissions of users by server: those of all their roles together. */
function getPermissions(
  { users, userRoles, roleServers, servers }: AccessRows,
  notes: string[],
): ReadonlyMap<string, ImportedServer['users']> {
  const lost = new Map<string, Set<string>>()
  const granted = new Map<string, Map<string, Set<ServerPermission>>>()
  for (const userRole of userRoles) {
    const key = textIn(userRole, 'user_id') ?? ''
    const role = textIn(userRole, 'role_id')
    for (const row of roleServers) {
      const mask = textIn(row, 'permissions') ?? ''
      if (textIn(row, 'role_id') !== role || !mask.includes('1')) continue
      const server = textIn(row, 'server_id') ?? ''
      const ofServer = granted.get(server) ?? new Map<string, Set<ServerPermission>>()
      const ofUser = ofServer.get(key) ?? new Set<ServerPermission>(['viewServerStats'])
      for (const name of masks.flatMap((names, at) => (mask[at] === '1' ? names : []))) ofUser.add(name)
      granted.set(server, ofServer.set(key, ofUser))
      for (const { at, title } of lostMasks) {
        const place = `${server} ${key}`
        if (mask[at] === '1') lost.set(place, (lost.get(place) ?? new Set()).add(title))
      }
    }
  }
  for (const [server, ofServer] of granted) {
    for (const [key, permissions] of ofServer) {
      const titles = lostMasks.filter(
        ({ title, includedBy }) =>
          lost.get(`${server} ${key}`)?.has(title) && !(includedBy && permissions.has(includedBy)),
      )
      const username = nameIn(users, 'user_id', key, 'username')
      const serverName = nameIn(servers, 'server_id', server, 'server_name')
      for (const { title } of titles)
        notes.push(`permission for ${title} of ${username} on server ${serverName}: has no counterpart`)
    }
  }
  return new Map(
    [...granted].map(([server, users]) => [
      server,
      [...users].map(([key, permissions]) => ({ key, permissions: [...permissions] })),
    ]),
  )
}

function nameIn(rows: readonly ForeignRow[], keyColumn: string, key: string, column: string): string {
  const row = rows.find((candidate) => textIn(candidate, keyColumn) === key)
  return (row && textIn(row, column)) || `#${key}`
}
