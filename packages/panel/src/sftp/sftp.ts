import type { PanelScope, RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { SftpGrant, SftpLogin } from '@innkeeper/contract/node-link/node-to-panel'
import { parseSftpUser } from '@innkeeper/contract/node-link/sftp'
import type { AuditContext } from '../access/audit-context.ts'
import { loadNodePermissions, type NodePermissions, type UserOnServer } from '../access/node-permissions.ts'
import { findSuspension, suspensionColumns } from '../access/suspension.ts'
import type { PasswordVerifier } from '../auth/password-verifier.ts'
import type { SecondFactorPolicy } from '../auth/second-factor-policy.ts'
import type { TwoFactorService } from '../auth/two-factor.ts'
import type { Database } from '../database/schema.ts'
import { scopesOfAll } from '../database/users.ts'
import {
  maxLoginAttemptsPerAddress,
  maxLoginAttemptsPerNode,
  type RateLimiter,
  sourceKey,
} from '../security/rate-limiter.ts'
import { hashToken } from '../security/secrets.ts'
import { getFingerprint } from '../ssh-keys/public-key.ts'

interface Deps {
  readonly db: Database
  readonly passwordVerifier: PasswordVerifier
  readonly limiter: RateLimiter
  readonly twoFactor: Pick<TwoFactorService, 'verifyThen'>
  readonly policy: SecondFactorPolicy
  readonly now: () => number
}

/** A user who may log in, or who must enter the code first. */
type SftpLoginResult =
  | {
      readonly is: 'granted'
      readonly grant: SftpGrant
      readonly permissions: RequiredPermission[]
      readonly username: string
    }
  | { readonly is: 'codeNeeded'; readonly userId: number; readonly username: string }

type KeyCredentials = Extract<SftpLogin['with'], { method: 'key' }>
type PasswordCredentials = Exclude<SftpLogin['with'], KeyCredentials>

export type SftpService = ReturnType<typeof sftpService>

/** Authenticates SFTP logins and re-authorizes open sessions. Nodes may only ask about their own servers. */
export function sftpService({ db, passwordVerifier, limiter, twoFactor, policy, now }: Deps) {
  /** Of users who must have a second factor and have none, only the password is refused: nobody can guess a key. */
  const mayUsePassword = async (userId: number, scopes: readonly PanelScope[]): Promise<boolean> => {
    const from = (await policy.findMissing(db, [{ id: userId, scopes }])).get(userId)
    return from === undefined || from > now()
  }

  async function granted(nodeId: number, userId: number, server: string, keyId?: string): Promise<Granted | undefined> {
    const current = await loadSessionPermissions(db, nodeId, [{ userId, server }], now())
    const sessionUser = current.users.get(userId)
    const permissions = sftpPermissionsOn(current, userId, server)
    if (!sessionUser || !permissions) return undefined
    const grant = { userId, server, stamp: credentialFingerprint(sessionUser, keyId) }
    const { username, password, hasTwoFactor, scopes } = sessionUser
    return { answer: { is: 'granted', grant, permissions: [...permissions], username }, password, hasTwoFactor, scopes }
  }

  /** Throws ErrServerSuspended for a user of a suspended server, who sees the reason. */
  async function refuseSuspended(nodeId: number, userId: number, server: string): Promise<void> {
    const row = await db
      .selectFrom('servers')
      .innerJoin('server_users', 'server_users.server_id', 'servers.id')
      .select(suspensionColumns)
      .where('servers.id', '=', server)
      .where('servers.node_id', '=', nodeId)
      .where('server_users.user_id', '=', userId)
      .executeTakeFirst()
    const suspension = row && findSuspension(row, now())
    if (suspension) throw new Refusal('ErrServerSuspended', { reason: suspension.reason })
  }

  async function byPassword(
    nodeId: number,
    { user, address }: SftpLogin,
    credentials: PasswordCredentials,
    audit: AuditContext,
  ): Promise<SftpLoginResult> {
    // A user name without a server fails like any other wrong one.
    const { email, server } = parseSftpUser(user) ?? { email: user, server: '' }
    const account = await passwordVerifier.verify(email, credentials.password, { address, nodeId })
    const grant = await granted(nodeId, account.id, server)
    if (!grant) await refuseSuspended(nodeId, account.id, server)
    // The password may have been changed during verification.
    if (grant?.password !== account.password) throw new Refusal('ErrInvalidCredentials')
    if (!(await mayUsePassword(account.id, grant.scopes))) throw new Refusal('ErrSecondFactorRequired')
    if (credentials.method === 'passwordAndCode') {
      await twoFactor.verifyThen({ userId: account.id, address, nodeId }, credentials.code, audit, async () =>
        audit.setActor(account),
      )
    } else if (grant.hasTwoFactor) {
      return { is: 'codeNeeded', userId: account.id, username: account.username }
    }
    await passwordVerifier.resetAttempts(email, { address, nodeId })
    return grant.answer
  }

  async function byKey(
    nodeId: number,
    { user, address }: SftpLogin,
    credentials: KeyCredentials,
  ): Promise<SftpLoginResult> {
    // Clients offer all of their keys, so attempts are only limited per address; keys cannot be guessed.
    const attempts = [
      { key: `sftp key ${sourceKey({ address, nodeId })}`, max: maxLoginAttemptsPerAddress },
      { key: `sftp key by node ${nodeId}`, max: maxLoginAttemptsPerNode },
    ]
    await limiter.consume(attempts)
    const { email, server } = parseSftpUser(user) ?? { email: '', server: '' }
    const row = await db
      .selectFrom('ssh_keys')
      .innerJoin('users', 'users.id', 'ssh_keys.user_id')
      .select(['ssh_keys.id', 'ssh_keys.user_id', 'ssh_keys.public_key', 'users.email_key'])
      .where('ssh_keys.fingerprint', '=', getFingerprint(Buffer.from(credentials.key, 'base64')))
      .executeTakeFirst()
    const isKeyOfUser = row?.email_key === email.toLowerCase() && row.public_key === credentials.key
    const grant = row && isKeyOfUser ? await granted(nodeId, row.user_id, server, row.id) : undefined
    if (row && isKeyOfUser && !grant && credentials.isSigned) await refuseSuspended(nodeId, row.user_id, server)
    if (!row || !grant) throw new Refusal('ErrInvalidCredentials')
    await limiter.refund(attempts)
    if (credentials.isSigned) {
      await db.updateTable('ssh_keys').set({ used_at: now() }).where('id', '=', row.id).execute()
    }
    return grant.answer
  }

  return {
    login(nodeId: number, login: SftpLogin, audit: AuditContext): Promise<SftpLoginResult> {
      const credentials = login.with
      return credentials.method === 'key'
        ? byKey(nodeId, login, credentials)
        : byPassword(nodeId, login, credentials, audit)
    },

    /** Current permissions of sessions, in the order of the request; `null` for one that must end. */
    async readPermissions(nodeId: number, grants: readonly SftpGrant[]): Promise<(RequiredPermission[] | null)[]> {
      const current = await loadSessionPermissions(db, nodeId, grants, now())
      const keyIds = [...new Set(grants.flatMap(({ stamp }) => findKeyId(stamp) ?? []))]
      const keys = new Set(
        keyIds.length === 0
          ? []
          : (await db.selectFrom('ssh_keys').select(['id', 'user_id']).where('id', 'in', keyIds).execute()).map(
              ({ id, user_id }) => `${id} ${user_id}`,
            ),
      )
      const byPassword = grants.filter(({ stamp }) => findKeyId(stamp) === undefined)
      const passwordUsers = [...new Set(byPassword.map(({ userId }) => userId))]
      const missing = await policy.findMissing(
        db,
        passwordUsers.map((id) => ({ id, scopes: current.users.get(id)?.scopes ?? [] })),
      )
      return grants.map(({ userId, server, stamp }) => {
        const sessionUser = current.users.get(userId)
        const keyId = findKeyId(stamp)
        if (!sessionUser || stamp !== credentialFingerprint(sessionUser, keyId)) return null
        if (keyId === undefined && (missing.get(userId) ?? now() + 1) <= now()) return null
        if (keyId !== undefined && !keys.has(`${keyId} ${userId}`)) return null
        const permissions = sftpPermissionsOn(current, userId, server)
        return permissions ? [...permissions] : null
      })
    },
  }
}

/** The response, and the fingerprint of the user's credentials at that time. */
interface Granted {
  readonly answer: Extract<SftpLoginResult, { is: 'granted' }>
  readonly password: string
  readonly hasTwoFactor: boolean
  readonly scopes: readonly PanelScope[]
}

/** A user with the credentials that a session depends on. */
interface SessionUser {
  readonly username: string
  readonly password: string
  readonly stamp: string
  readonly hasTwoFactor: boolean
  readonly scopes: readonly PanelScope[]
}

/** Users of sessions and their permissions on servers of a node. */
interface SessionPermissions {
  readonly users: ReadonlyMap<number, SessionUser>
  readonly getPermissions: NodePermissions
}

/** Current permissions on servers of a node, by user and server. */
async function loadSessionPermissions(
  db: Database,
  nodeId: number,
  pairs: readonly UserOnServer[],
  now: number,
): Promise<SessionPermissions> {
  const userIds = [...new Set(pairs.map(({ userId }) => userId))]
  const users = new Map<number, SessionUser>()
  if (pairs.length === 0) return { users, getPermissions: () => undefined }
  const rows = await db
    .selectFrom('users')
    .leftJoin('two_factor', (join) => join.onRef('two_factor.user_id', '=', 'users.id').on('two_factor.is_on', '=', 1))
    .select(['users.id', 'users.username', 'users.password', 'two_factor.secret'])
    .select(({ selectFrom }) =>
      selectFrom('passkeys')
        .select(({ fn }) => fn.max('passkeys.id').as('id'))
        .whereRef('user_id', '=', 'users.id')
        .as('passkey'),
    )
    .where('users.id', 'in', userIds)
    .execute()
  const getScopes = await scopesOfAll(db, userIds)
  for (const { id, username, password, secret, passkey } of rows) {
    const hasTwoFactor = secret !== null || passkey !== null
    const stamp = hashToken(`${id} ${password} ${secret ?? (hasTwoFactor ? 'passkey' : '')}`)
    users.set(id, { username, password, stamp, hasTwoFactor, scopes: getScopes(id) })
  }
  return { users, getPermissions: await loadNodePermissions(db, nodeId, pairs, now) }
}

/** The permissions of an open session; `undefined` when it must end. */
function sftpPermissionsOn(
  { users, getPermissions }: SessionPermissions,
  userId: number,
  server: string,
): ReadonlySet<RequiredPermission> | undefined {
  const permissions = users.has(userId) ? getPermissions({ userId, server }) : undefined
  return permissions?.has('sftpServer') ? permissions : undefined
}

/** Changes with the user's password and two-factor; for a key login it includes the key. */
function credentialFingerprint({ stamp }: SessionUser, keyId: string | undefined): string {
  return keyId === undefined ? stamp : `${stamp} ${keyId}`
}

/** The ID of the key in a fingerprint; `undefined` for a login with a password. */
function findKeyId(stamp: string): string | undefined {
  return stamp.split(' ')[1]
}
