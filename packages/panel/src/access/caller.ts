import type { PanelScope, ServerRight } from '@innkeeper/contract/permissions'

/** Who asks: the person behind a live credential, with what they may do in the panel now. */
export interface Caller {
  readonly userId: number
  readonly username: string
  readonly email: string
  /** The session that speaks: the hash of its token. */
  readonly sessionId: string
  readonly scopes: readonly PanelScope[]
  readonly isAdmin: boolean
}

/** Set by nobody and read by nobody: it only makes the proof a type that cannot be written down elsewhere. */
declare const proof: unique symbol

/** A caller who was found to hold the scope. */
export type CallerWith<S extends PanelScope> = Caller & { readonly [proof]: S }

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
export type Allowed<R extends ServerRight> = Server & {
  readonly rights: ReadonlySet<ServerRight>
  readonly [proof]: R
}
