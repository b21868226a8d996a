import { parseJsonOrUndefined } from '@innkeeper/contract/parse-json'
import { type ServerPermission, serverPermissionNames } from '@innkeeper/contract/permissions'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedUser } from '@innkeeper/panel/import/import-plan'
import { z } from 'zod'
import { flagIn, textIn } from '../rows.ts'
import { decrypt } from './laravel.ts'

interface UserRows {
  readonly users: readonly ForeignRow[]
  readonly roles: readonly ForeignRow[]
  /** Pelican: which users have which roles. */
  readonly modelRoles: readonly ForeignRow[]
}

/** Users with their second factor, which is encrypted with the key of the panel. */
export function usersOf(
  { users, roles, modelRoles }: UserRows,
  key: Buffer | undefined,
  notes: string[],
): ImportedUser[] {
  const rootRoles = new Set(roles.filter((row) => textIn(row, 'name') === 'Root Admin').map((row) => textIn(row, 'id')))
  const admins = new Set<string | undefined>()
  for (const row of modelRoles) {
    const model = textIn(row, 'model_type') ?? ''
    if (model !== 'user' && !model.endsWith('\\User')) continue
    const id = textIn(row, 'model_id')
    if (rootRoles.has(textIn(row, 'role_id'))) admins.add(id)
    else notes.push(`role ${textIn(row, 'role_id')} of user ${id}: roles other than Root Admin do not exist here`)
  }
  return users.map((row) => {
    const [id, username] = [textIn(row, 'id') ?? '', textIn(row, 'username') ?? '']
    const isAdmin = flagIn(row, 'root_admin') || admins.has(id)
    const encrypted =
      textIn(row, 'mfa_app_secret') ?? (flagIn(row, 'use_totp') ? textIn(row, 'totp_secret') : undefined)
    const secret = encrypted ? decrypt(encrypted, key) : undefined
    const otpSecret = secret && /^[A-Z2-7]{16,128}$/.test(secret) ? secret : undefined
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

/** Keys that another permission includes. */
const impliedKeys = [
  'control.restart',
  'user.read',
  'startup.read',
  'activity.read',
  'allocation.read',
  'schedule.read',
]

/** The permissions of a subuser, and the keys without a counterpart. */
export function permissionsOf(json: string): {
  readonly permissions: readonly ServerPermission[]
  readonly lost: readonly string[]
} {
  const keys = z.array(z.string().max(100)).max(200).safeParse(parseJsonOrUndefined(json)).data ?? []
  const granted = neededKeys.filter(([, needed]) => needed.every((key) => keys.includes(key)))
  const used = new Set([...granted.flatMap(([, needed]) => needed), ...impliedKeys])
  return { permissions: granted.map(([name]) => name), lost: keys.filter((key) => !used.has(key)) }
}
