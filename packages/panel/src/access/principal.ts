import type { PanelScope, RequiredPermission } from '@innkeeper/contract/permissions'

/** Who asks: the person behind a live credential, with what they may do in the panel now. */
export interface Principal {
  readonly userId: number
  readonly username: string
  readonly email: string
  /** The session or client's token that speaks: its hash. */
  readonly sessionId: string
  /** What the credential may do in the panel: for a client of one server, nothing. */
  readonly scopes: readonly PanelScope[]
  readonly isAdmin: boolean
  /** The OAuth2 client that speaks for the person; absent when they speak themselves. */
  readonly client?: OAuthClientPrincipal | undefined
}

/** An OAuth2 client at work. */
export interface OAuthClientPrincipal {
  readonly id: string
  /** The only server it reaches, and what its owner may do in the panel; absent for a client of the account. */
  readonly restrictedTo?: { readonly server: string; readonly scopes: readonly PanelScope[] } | undefined
}

/** Set by nobody and read by nobody: it only makes the proof a type that cannot be written down elsewhere. */
declare const proof: unique symbol

/** A caller who was found to hold the scope. */
export type PrincipalWithScope<S extends PanelScope> = Principal & { readonly [proof]: S }

/** A server as the panel knows it. */
export interface Server {
  readonly id: string
  readonly name: string
  readonly nodeId: number
  readonly ip: string
  readonly port: number
  readonly type: string
}

/** A server on which the caller was found to hold the right; `rights` are all that they hold there. */
export type AuthorizedServer<R extends RequiredPermission> = Server & {
  readonly rights: ReadonlySet<RequiredPermission>
  readonly [proof]: R
}
