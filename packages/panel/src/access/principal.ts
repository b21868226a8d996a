import type { ClientLimits } from '@innkeeper/contract/accounts/oauth2'
import type { PanelScope, RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { Suspension } from '@innkeeper/contract/servers/suspension'
import type { Transaction, UserRow } from '../database/schema.ts'
import type { RoleGrant } from '../database/users.ts'

/** Who acts, with the current scopes: a user, or an OAuth2 client on behalf of one. */
export type Principal = UserPrincipal | OAuthClientPrincipal

/** A user with a session. OAuth2 clients do not have this type: functions for users only require it. */
export interface UserPrincipal extends PrincipalBase {
  readonly client?: undefined
  /** From when the user must have a second factor, epoch milliseconds; absent when the user has one, or needs none. */
  readonly secondFactorFrom?: number | undefined
}

/** Whether the user can only set up a second factor, which the panel requires by now. */
export function mustSetUpSecondFactor(
  { secondFactorFrom }: Pick<UserPrincipal, 'secondFactorFrom'>,
  now: number,
): boolean {
  return secondFactorFrom !== undefined && secondFactorFrom <= now
}

/** Proof of a recent login. Checks it again within the transaction of the change, and returns the user. */
export type RecentLogin = (transaction: Transaction) => Promise<UserRow>

/** An OAuth2 client that acts on behalf of its owner. */
export interface OAuthClientPrincipal extends PrincipalBase {
  readonly client: OAuthClient
}

interface PrincipalBase {
  readonly userId: number
  readonly username: string
  readonly email: string
  readonly isEmailConfirmed: boolean
  /** Hash of the token of the session or client. */
  readonly sessionId: string
  /** Scopes of the credential: for a client those of its owner within its limits. */
  readonly scopes: readonly PanelScope[]
  readonly isAdmin: boolean
  /** Roles of the user; for a client, of its owner. */
  readonly roles: readonly RoleGrant[]
}

export interface OAuthClient {
  readonly id: string
  /** Where the request came from. */
  readonly address: string
  /** The scopes of its owner; those of the client may be fewer. */
  readonly ownerScopes: readonly PanelScope[]
  /** A client of a server has that server as its only one. */
  readonly limits: ClientLimits
}

/** The credential of a request: a session, or the token of a client with the address that uses it. */
export interface Credential {
  readonly sessionId: string
  readonly client?: Pick<OAuthClient, 'address'> | undefined
}

/** Equal for principals with the same credential. */
export const credentialKey = ({ sessionId, client }: Credential): string => `${sessionId} ${client?.address ?? ''}`

/** Phantom brand: never present at run time, so that only `accessService` can produce these types. */
declare const proof: unique symbol

/** A principal that was authorized for the scope. */
export type PrincipalWithScope<S extends PanelScope> = Principal & { readonly [proof]: S }

/** A server as stored by the panel. */
export interface Server {
  readonly id: string
  readonly name: string
  readonly nodeId: number
  readonly ip: string
  readonly port: number
  readonly type: string
  /** Missing unless it is suspended. */
  readonly suspension?: Suspension
}

/** A server that the principal was authorized for; `permissions` are all permissions of the principal on it. */
export type AuthorizedServer<R extends RequiredPermission> = Server & {
  readonly permissions: ReadonlySet<RequiredPermission>
  readonly [proof]: R
}
