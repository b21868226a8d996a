import { type ServerPermission, serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedUser } from '@innkeeper/panel/import/import-plan'
import { z } from 'zod'
import { findLanguage, isOtpSecret } from '../conversions.ts'
import { flagIn, textIn } from '../rows.ts'
import { decrypt } from './laravel.ts'

interface UserRows {
  readonly users: readonly ForeignRow[]
  readonly roles: readonly ForeignRow[]
  /** Pelican: which users have which roles. */
  readonly modelRoles: readonly ForeignRow[]
}

/** Users with their second factor, which is encrypted with the key of the panel. */
export function getUsers(
  { users, roles, modelRoles }: UserRows,
  key: Buffer | undefined,
  notes: string[],
): ImportedUser[] {
  const rootRoles = new Set(roles.filter((row) => textIn(row, 'name') === 'Root Admin').map((row) => textIn(row, 'id')))
  const findNames = (rows: readonly ForeignRow[], column: string) =>
    new Map(rows.map((row) => [textIn(row, 'id') ?? '', textIn(row, column)]))
  const [roleNames, userNames] = [findNames(roles, 'name'), findNames(users, 'username')]
  const admins = new Set<string>()
  for (const row of modelRoles) {
    const model = textIn(row, 'model_type') ?? ''
    if (model !== 'user' && !model.endsWith('\\User')) continue
    const [id, role] = [textIn(row, 'model_id') ?? '', textIn(row, 'role_id') ?? '']
    if (rootRoles.has(role)) admins.add(id)
    else notes.push(`role ${roleNames.get(role)} of user ${userNames.get(id)}: does not exist here`)
  }
  return users.map((row) => {
    const [id, username] = [textIn(row, 'id') ?? '', textIn(row, 'username') ?? '']
    const isAdmin = flagIn(row, 'root_admin') || admins.has(id)
    const encrypted =
      textIn(row, 'mfa_app_secret') ?? (flagIn(row, 'use_totp') ? textIn(row, 'totp_secret') : undefined)
    const secret = encrypted ? decrypt(encrypted, key) : undefined
    const otpSecret = secret && isOtpSecret(secret) ? secret : undefined
    if (encrypted && otpSecret === undefined)
      notes.push(`user ${username}: the second factor cannot be decrypted with APP_KEY, and is off`)
    if (flagIn(row, 'mfa_email_enabled')) notes.push(`user ${username}: codes by email do not exist here`)
    return {
      key: id,
      username,
      email: textIn(row, 'email') ?? '',
      passwordHash: textIn(row, 'password'),
      otpSecret,
      scopes: isAdmin ? ['servers.admin'] : [],
      language: findLanguage(textIn(row, 'language') ?? '', (text) => notes.push(`user ${username}: ${text}`)),
    }
  })
}

/** Owners cannot delete their server there. */
export const ownerPermissions = serverPermissionNames.filter((name) => name !== 'deleteServer')

const viewFiles = ['file.read', 'file.read-content']
const changeFiles = ['file.create', 'file.update', 'file.delete', 'file.archive']
const editUsers = ['user.create', 'user.update', 'user.delete']

/** Each permission of ours, and all keys that it needs. */
const neededKeys: readonly (readonly [ServerPermission, readonly string[]])[] = [
  ['viewServerConsole', ['websocket.connect']],
  ['viewServerStats', ['websocket.connect']],
  ['sendServerConsole', ['control.console']],
  ['startServer', ['control.start']],
  ['stopServer', ['control.stop']],
  ['viewServerFiles', viewFiles],
  ['putServerFiles', changeFiles],
  ['sftpServer', ['file.sftp', ...viewFiles, ...changeFiles]],
  ['editServerUsers', editUsers],
  ['editServerData', ['startup.update']],
  ['installServer', ['settings.reinstall']],
  ['viewServerBackups', ['backup.read']],
  ['createServerBackups', ['backup.create']],
  ['restoreServerBackups', ['backup.restore']],
]

/** Keys that our permissions include. Every user of a server sees its addresses. */
const impliedKeys: Readonly<Record<string, readonly ServerPermission[]>> = {
  'control.restart': ['startServer', 'stopServer'],
  'user.read': ['editServerUsers'],
  'activity.read': ['editServerUsers'],
  'startup.read': ['editServerData'],
  'schedule.read': ['editServerData'],
  'allocation.read': [],
}

/** The permissions of a subuser, and the keys without a counterpart. */
export function getPermissions(json: string): {
  readonly permissions: readonly ServerPermission[]
  readonly lost: readonly string[]
} {
  const keys = z.array(z.string().max(100)).max(200).safeParse(parseJsonOrUndefined(json)).data ?? []
  const granted = neededKeys.filter(([, needed]) => needed.every((key) => keys.includes(key)))
  const permissions = granted.map(([name]) => name)
  const used = new Set(granted.flatMap(([, needed]) => needed))
  const isImplied = (key: string) =>
    Object.hasOwn(impliedKeys, key) && impliedKeys[key]?.every((name) => permissions.includes(name)) === true
  return { permissions, lost: keys.filter((key) => !used.has(key) && !isImplied(key)) }
}
