import type { PanelScope, RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { Suspension } from '@innkeeper/contract/servers/suspension'
import type { Transaction, UserRow } from '../database/schema.ts'

/** Who acts, with the current scopes: a user, or an OAuth2 client on behalf of one. */
export type Principal = UserPrincipal | OAuthClientPrincipal

/** A user with a session. OAuth2 clients do not have this type: functions for users only require it. */
export interface UserPrincipal extends PrincipalBase {
  readonly client?: undefined
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
  /** Scopes of the credential; none for a client of a single server. */
  readonly scopes: readonly PanelScope[]
  readonly isAdmin: boolean
}

export interface OAuthClient {
  readonly id: string
  /** The only server that the client may access, with the scopes of its owner; absent for a client of the account. */
  readonly restrictedTo?: { readonly server: string; readonly scopes: readonly PanelScope[] } | undefined
}

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
