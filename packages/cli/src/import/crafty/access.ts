import type { ServerPermission } from '@innkeeper/contract/permissions'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedServer, ImportedUser } from '@innkeeper/panel/import/import-plan'
import { emailFor } from '../commands.ts'
import { flagIn, textIn } from '../rows.ts'

interface AccessRows {
  readonly users: readonly ForeignRow[]
  readonly userRoles: readonly ForeignRow[]
  readonly roleServers: readonly ForeignRow[]
  readonly totp: readonly ForeignRow[]
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
  [],
  ['viewServerFiles', 'putServerFiles'],
  ['editServerData'],
  [],
]

export function accessOf(rows: AccessRows, emailDomain: string, notes: string[]) {
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
    const email = textIn(row, 'email') ?? ''
    const isOwn = email !== '' && email !== defaultEmail
    const address = isOwn ? email : emailFor(username, emailDomain)
    if (!isOwn) notes.push(`user ${username}: logs in as ${address}, because there is no address`)
    const secret = rows.totp.find((row) => textIn(row, 'user_id') === key)
    const otpSecret = (secret && textIn(secret, 'totp_secret')) ?? ''
    return [
      {
        key,
        username,
        email: address,
        passwordHash: textIn(row, 'password'),
        otpSecret: /^[A-Z2-7]{16,128}$/.test(otpSecret) ? otpSecret : undefined,
        scopes: flagIn(row, 'superuser') ? ['servers.admin'] : [],
      },
    ]
  })
  return { users, servers: permissionsOf(rows) }
}

/** The permissions of users by server: those of all their roles together. */
function permissionsOf({ userRoles, roleServers }: AccessRows): ReadonlyMap<string, ImportedServer['users']> {
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
    }
  }
  return new Map(
    [...granted].map(([server, users]) => [
      server,
      [...users].map(([key, permissions]) => ({ key, permissions: [...permissions] })),
    ]),
  )
}
