import type { PanelScope, RequiredPermission } from '@innkeeper/contract/permissions'

/** The authenticated user or OAuth2 client of a request, with its current scopes. */
export interface Principal {
  readonly userId: number
  readonly username: string
  readonly email: string
  readonly isEmailConfirmed: boolean
  /** Hash of the token of the session or client. */
  readonly sessionId: string
  /** Scopes of the credential; none for a client of a single server. */
  readonly scopes: readonly PanelScope[]
  readonly isAdmin: boolean
  /** The OAuth2 client that acts on behalf of the user; absent for a session of the user. */
  readonly client?: OAuthClientPrincipal | undefined
}

/** The OAuth2 client of a request. */
export interface OAuthClientPrincipal {
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
}

/** A server that the principal was authorized for; `rights` are all permissions of the principal on it. */
export type AuthorizedServer<R extends RequiredPermission> = Server & {
  readonly rights: ReadonlySet<RequiredPermission>
  readonly [proof]: R
}
