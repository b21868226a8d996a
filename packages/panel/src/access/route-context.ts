import type { Readable } from 'node:stream'
import type { Access, Endpoint, OptionalSchema, OutputOf } from '@innkeeper/contract/endpoint'
import type { PanelScope, RequiredPermission } from '@innkeeper/contract/permissions'
import type { z } from 'zod'
import type { AuditContext } from './audit-context.ts'
import type { AuthorizedServer, Principal, PrincipalWithScope } from './principal.ts'

/** Where a request comes from and how it reached us. */
export interface ClientInfo {
  readonly address: string
  /** The host it was sent to, with the port when there is one. */
  readonly host: string
  readonly isSecure: boolean
  /** The program that asks, as it calls itself. */
  readonly agent?: string
  /** The languages that its reader wants, as in `Accept-Language`. */
  readonly languages?: string
}

/** The cookies of the browser that asks. */
export interface SessionCookies {
  /** Keeps the session, and forgets the login that waited for its code. */
  setSession(session: string): void
  clear(): void
  /** Keeps a login that waits for its code, out of reach of scripts. */
  setPendingLogin(token: string): void
  /** The login that waits for its code. */
  readonly pendingLogin: string | undefined
}

/** Versions of what a call changes, so that nobody overwrites what they have not seen. */
export interface Preconditions {
  /** The one that the caller has seen (`If-Match`); `undefined` when any will do. */
  readonly ifMatch: string | undefined
  /** Whether there may be none yet (`If-None-Match: *`). */
  readonly mustBeNew: boolean
  /** Says which version there is now (`ETag`). */
  setEtag(version: string): void
}

/** The caller, and the token that they showed. */
interface Authenticated {
  readonly principal: Principal
  readonly token: string
}

/** What the rule of a call proves before its handler runs. */
type AccessProof<X extends Access> = X extends 'public'
  ? unknown
  : X extends 'node'
    ? { readonly nodeId: number }
    : X extends 'session' | 'user'
      ? Authenticated
      : X extends { readonly scope: infer S extends PanelScope }
        ? Authenticated & { readonly principal: PrincipalWithScope<S> }
        : X extends { readonly onServer: infer R extends RequiredPermission }
          ? Authenticated & { readonly server: AuthorizedServer<R> }
          : never

/** What a handler gets: validated input, and the proof of its access rule. */
export type RouteContext<
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  X extends Access,
> = {
  readonly params: OutputOf<P>
  readonly query: OutputOf<Q>
  readonly body: OutputOf<B>
  readonly client: ClientInfo
  readonly cookies: SessionCookies
  readonly preconditions: Preconditions
  readonly audit: AuditContext
  /** Ends when the caller leaves. */
  readonly signal: AbortSignal
} & AccessProof<X>

/** What a call with `stream: 'response'` answers: it is read as fast as the caller takes it. */
export class StreamResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
  /** For chunks of the body that were sent. */
  readonly releaseBuffer: (chunk: Uint8Array) => void

  constructor({ status, headers, body, releaseBuffer }: StreamResponse) {
    this.status = status
    this.headers = headers
    this.body = body
    this.releaseBuffer = releaseBuffer
  }
}

// biome-ignore lint/suspicious/noConfusingVoidType: a call without an answer has a handler that returns nothing
type HandlerResult<A extends OptionalSchema> = A extends z.ZodType ? z.input<A> : void

/** The only way to answer a call: its access rule comes with it. */
export type RegisterRoute = <
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  A extends OptionalSchema,
  X extends Access,
>(
  call: Endpoint<P, Q, B, A, X>,
  handler: (given: RouteContext<P, Q, B, X>) => HandlerResult<A> | Promise<HandlerResult<A>>,
  how?: {
    readonly bodyBytes?: number
    /** Refuses what its rule allows, before a body is read. */
    readonly preHandler?: (proof: AccessProof<X>) => Promise<void>
  },
) => void

/** What a form brings: its fields, unless the body was no form, and the `Authorization` header as it came. */
export interface FormRequest {
  readonly form: URLSearchParams | undefined
  readonly authorization: string | undefined
  readonly address: string
}

/** An answer with a status of its own. */
export interface FormResponse {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** That somebody tried in vain what they should not, and what for. */
  readonly failedAttempt?: { readonly code: string; readonly target?: string | undefined }
}

/** The way to answer a public call whose body is a form. */
export type RegisterFormRoute = (
  call: Endpoint<OptionalSchema, OptionalSchema, OptionalSchema, OptionalSchema, 'public'>,
  handler: (given: FormRequest) => Promise<FormResponse>,
) => void
