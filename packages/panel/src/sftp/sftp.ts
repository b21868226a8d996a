import type { SftpGrant, SftpLogin } from '@innkeeper/contract/node-to-panel'
import { type PanelScope, panelScopes, type RequiredPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { parseSftpUser } from '@innkeeper/contract/sftp'
import type { AuditContext } from '../access/audit-context.ts'
import { loadNodePermissions, type NodePermissions, type UserOnServer } from '../access/node-permissions.ts'
import type { PasswordVerifier } from '../auth/password-verifier.ts'
import {
  maxLoginAttemptsPerAddress,
  maxLoginAttemptsPerNode,
  type RateLimiter,
  sourceKey,
} from '../auth/rate-limiter.ts'
import { hashToken } from '../auth/secrets.ts'
import type { TwoFactorService } from '../auth/two-factor.ts'
import type { Database } from '../database/schema.ts'
import { fingerprintOf } from '../ssh-keys/public-key.ts'

interface Deps {
  readonly db: Database
  readonly passwordVerifier: PasswordVerifier
  readonly limiter: RateLimiter
  readonly twoFactor: Pick<TwoFactorService, 'verifyThen'>
  readonly now: () => number
}

/** A user who may log in, or who must enter the code first. */
export type SftpLoginResult =
  | {
      readonly is: 'granted'
      readonly grant: SftpGrant
      readonly rights: RequiredPermission[]
      readonly username: string
    }
  | { readonly is: 'codeNeeded'; readonly userId: number; readonly username: string }

export type SftpService = ReturnType<typeof sftpService>

/** Authenticates SFTP logins and re-authorizes open sessions. Nodes may only ask about their own servers. */
export function sftpService({ db, passwordVerifier, limiter, twoFactor, now }: Deps) {
  /** Current permissions on servers of a node, by user and server, with two queries. */
  async function loadPermissions(nodeId: number, pairs: readonly UserOnServer[]): Promise<UserPermissions> {
    const userIds = [...new Set(pairs.map(({ userId }) => userId))]
    const people = new Map<number, Person>()
    if (pairs.length === 0) return { people, permissionsOf: () => undefined }
    const found = await db
      .selectFrom('users')
      .leftJoin('two_factor', (join) =>
        join.onRef('two_factor.user_id', '=', 'users.id').on('two_factor.is_on', '=', 1),
      )
      .leftJoin('user_scopes', 'user_scopes.user_id', 'users.id')
      .select(['users.id', 'users.username', 'users.password', 'two_factor.secret', 'user_scopes.scope'])
      .where('users.id', 'in', userIds)
      .execute()
    for (const { id, username, password, secret, scope } of found) {
      const scopes = people.get(id)?.scopes ?? []
      const panelScope = panelScopes.find((known) => known === scope)
      const stamp = hashToken(`${id} ${password} ${secret ?? ''}`)
      people.set(id, {
        username,
        password,
        stamp,
        hasTwoFactor: secret !== null,
        scopes: panelScope ? [...scopes, panelScope] : scopes,
      })
    }
    return { people, permissionsOf: await loadNodePermissions(db, nodeId, pairs) }
  }

  /** The permissions of an open session; `undefined` when it must end. */
  function permissionsOn(
    { people, permissionsOf }: UserPermissions,
    userId: number,
    server: string,
  ): ReadonlySet<RequiredPermission> | undefined {
    const person = people.get(userId)
    const permissions = person && permissionsOf({ userId, server }, person.scopes)
    return permissions?.has('sftpServer') ? permissions : undefined
  }

  async function granted(nodeId: number, userId: number, server: string, keyId?: string): Promise<Granted | undefined> {
    const now = await loadPermissions(nodeId, [{ userId, server }])
    const person = now.people.get(userId)
    const rights = permissionsOn(now, userId, server)
    if (!person || !rights) return undefined
    const grant = { userId, server, stamp: credentialFingerprint(person, keyId) }
    const { username, password, hasTwoFactor } = person
    return { answer: { is: 'granted', grant, rights: [...rights], username }, password, hasTwoFactor }
  }

  async function byPassword(
    nodeId: number,
    { user, address, with: credentials }: SftpLogin,
    audit: AuditContext,
  ): Promise<SftpLoginResult> {
    if (credentials.method === 'key') throw new Error('Key authentication is not a password login.')
    // A user name without a server fails like any other wrong one.
    const { email, server } = parseSftpUser(user) ?? { email: user, server: '' }
    const person = await passwordVerifier.verify(email, credentials.password, { address, nodeId })
    const grant = await granted(nodeId, person.id, server)
    // The password may have been changed during verification.
    if (grant?.password !== person.password) throw new Refusal('ErrInvalidCredentials')
    if (credentials.method === 'passwordAndCode') {
      await twoFactor.verifyThen({ userId: person.id, address, nodeId }, credentials.code, audit, async () =>
        audit.setActor(person),
      )
    } else if (grant.hasTwoFactor) {
      return { is: 'codeNeeded', userId: person.id, username: person.username }
    }
    await passwordVerifier.resetAttempts(email, { address, nodeId })
    return grant.answer
  }

  async function byKey(nodeId: number, { user, address, with: credentials }: SftpLogin): Promise<SftpLoginResult> {
    if (credentials.method !== 'key') throw new Error('A password is not a key.')
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
      .where('ssh_keys.fingerprint', '=', fingerprintOf(Buffer.from(credentials.key, 'base64')))
      .executeTakeFirst()
    const isTheirs = row?.email_key === email.toLowerCase() && row.public_key === credentials.key
    const grant = row && isTheirs ? await granted(nodeId, row.user_id, server, row.id) : undefined
    if (!row || !grant) throw new Refusal('ErrInvalidCredentials')
    await limiter.refund(attempts)
    if (credentials.isSigned) {
      await db.updateTable('ssh_keys').set({ used_at: now() }).where('id', '=', row.id).execute()
    }
    return grant.answer
  }

  return {
    login: (nodeId: number, login: SftpLogin, audit: AuditContext): Promise<SftpLoginResult> =>
      login.with.method === 'key' ? byKey(nodeId, login) : byPassword(nodeId, login, audit),

    /** Current permissions of sessions, in the order of the request; `null` for one that must end. */
    async rights(nodeId: number, grants: readonly SftpGrant[]): Promise<(RequiredPermission[] | null)[]> {
      const now = await loadPermissions(nodeId, grants)
      const keyIds = [...new Set(grants.flatMap(({ stamp }) => keyIn(stamp) ?? []))]
      const keys = new Set(
        keyIds.length === 0
          ? []
          : (await db.selectFrom('ssh_keys').select(['id', 'user_id']).where('id', 'in', keyIds).execute()).map(
              ({ id, user_id }) => `${id} ${user_id}`,
            ),
      )
      return grants.map(({ userId, server, stamp }) => {
        const person = now.people.get(userId)
        const keyId = keyIn(stamp)
        if (!person || stamp !== credentialFingerprint(person, keyId)) return null
        if (keyId !== undefined && !keys.has(`${keyId} ${userId}`)) return null
        const rights = permissionsOn(now, userId, server)
        return rights ? [...rights] : null
      })
    },
  }
}

interface Person {
  readonly username: string
  readonly password: string
  readonly stamp: string
  readonly hasTwoFactor: boolean
  readonly scopes: readonly PanelScope[]
}

interface UserPermissions {
  readonly people: ReadonlyMap<number, Person>
  readonly permissionsOf: NodePermissions
}

/** The response, and the fingerprint of the user's credentials at that time. */
interface Granted {
  readonly answer: Extract<SftpLoginResult, { is: 'granted' }>
  readonly password: string
  readonly hasTwoFactor: boolean
}

/** Changes with the user's password and two-factor; for a key login it includes the key. */
function credentialFingerprint({ stamp }: Person, keyId: string | undefined): string {
  return keyId === undefined ? stamp : `${stamp} ${keyId}`
}

function keyIn(stamp: string): string | undefined {
  return stamp.split(' ')[1]
}
