import type { Readable } from 'node:stream'
import type {
  Access,
  Endpoint,
  InputOf,
  OptionalSchema,
  OutputOf,
  Schema,
  UserAccess,
} from '@innkeeper/contract/api/endpoint'
import type { PanelScope, RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { AuditContext } from '../access/audit-context.ts'
import type {
  AuthorizedServer,
  Principal,
  PrincipalWithScope,
  RecentLogin,
  UserPrincipal,
} from '../access/principal.ts'
import type { VersionCondition } from '../database/versions.ts'

/** The client of a request, and how the request reached the panel. */
export interface ClientInfo {
  readonly address: string
  /** The `Host` of the request, with the port if there is one. */
  readonly host: string
  readonly isSecure: boolean
  /** The `User-Agent`. */
  readonly agent?: string
  /** The `Accept-Language`. */
  readonly languages?: string
}

/** Session cookies of the browser. */
export interface SessionCookies {
  /** Sets the session cookie and clears the one of the pending login. */
  setSession(session: string): void
  clear(): void
  /** Sets the HTTP-only cookie of a pending login. */
  setPendingLogin(token: string): void
  /** The token of a browser that signs in with OpenID Connect, and its HTTP-only cookie. */
  readonly oidc: string | undefined
  setOidc(token: string): void
  /** The token of the pending login. */
  readonly pendingLogin: string | undefined
}

/** Preconditions of a conditional request: `If-Match` and `If-None-Match: *`. */
export interface Preconditions extends VersionCondition {
  /** Sets the version of the response (`ETag`). */
  setVersion(version: string): void
}

/** The principal and its token. */
type Authenticated<X> = {
  readonly principal: X extends UserAccess | { readonly by: UserAccess } ? UserPrincipal : Principal
  readonly token: string
} & (X extends 'recentUser' | { readonly by: 'recentUser' } ? { readonly recentLogin: RecentLogin } : unknown)

/** What authorization proves before the handler runs. */
export type AccessProof<X extends Access> = X extends 'public'
  ? unknown
  : X extends 'node'
    ? { readonly nodeId: number }
    : X extends 'session' | UserAccess
      ? Authenticated<X>
      : X extends { readonly scope: infer S extends PanelScope }
        ? Authenticated<X> & { readonly principal: PrincipalWithScope<S> }
        : X extends { readonly onServer: infer R extends RequiredPermission }
          ? Authenticated<X> & { readonly server: AuthorizedServer<R> }
          : never

/** The argument of a handler: validated input, and the result of authorization. */
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
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
} & AccessProof<X>

/** Response of an endpoint with `stream: 'response'`. Backpressure applies: it is read as fast as the client reads. */
export class StreamResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable

  constructor({ status, headers, body }: StreamResponse) {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

// biome-ignore lint/suspicious/noConfusingVoidType: a call without an answer has a handler that returns nothing
type HandlerResult<A extends OptionalSchema> = A extends Schema ? InputOf<A> : void

/** Registers a handler for an endpoint; authorization comes with the endpoint. */
export type RegisterRoute = <
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  A extends OptionalSchema,
  X extends Access,
>(
  call: Endpoint<P, Q, B, A, X>,
  handler: (context: RouteContext<P, Q, B, X>) => HandlerResult<A> | Promise<HandlerResult<A>>,
  options?: {
    readonly bodyBytes?: number
    /** Runs after authorization and before the body is read; may reject the request. */
    readonly preHandler?: (proof: AccessProof<X>) => Promise<void>
  },
) => void

/** A form request: its fields, unless the body is not a form, and the `Authorization` header. */
export interface FormRequest {
  readonly form: URLSearchParams | undefined
  readonly authorization: string | undefined
  readonly address: string
}

/** A response with its own status. */
export interface FormResponse {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** A failed attempt to record in the audit log: error code and subject. */
  readonly failedAttempt?: { readonly code: string; readonly target?: string | undefined }
}

/** Registers a handler for a public endpoint with a form body. */
export type RegisterFormRoute = (
  call: Endpoint<OptionalSchema, OptionalSchema, OptionalSchema, OptionalSchema, 'public'>,
  handler: (context: FormRequest) => Promise<FormResponse>,
) => void
