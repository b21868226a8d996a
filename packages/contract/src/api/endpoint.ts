import { z } from 'zod/mini'
import type { AuditAction } from './audit-actions.ts'
import { OnServer } from './params.ts'
import type { PanelScope, RequiredPermission } from './permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'PATCH'

/**
 * What a request must prove before the handler runs. `session`: any valid credential. `user`: a session of a user, not
 * an OAuth2 client. `recentUser`: in addition, the user signed in or confirmed the password within {@link
 * recentSignInMs}, else ErrPasswordRequired; for what gives or ends access to the own account. `by` requires this in
 * addition to a scope or permission. `orScope` is accepted instead of `scope`. `node`: a request signed by a node of this
 * panel. `panel`: a ticket of the panel for the node, not for a user's permission on a server.
 */
export type Access =
  | 'public'
  | 'session'
  | UserAccess
  | 'node'
  | 'panel'
  | { readonly scope: PanelScope; readonly orScope?: PanelScope; readonly by?: UserAccess }
  | { readonly onServer: RequiredPermission; readonly by?: UserAccess }

export type UserAccess = 'user' | 'recentUser'

/** How long a sign-in, or a confirmation of the password, is recent. */
export const recentSignInMs = 600_000

/** Which session of a user the rule requires; `undefined`: none, or an OAuth2 client may do it too. */
export function requiredUser(access: Access): UserAccess | undefined {
  if (access === 'user' || access === 'recentUser') return access
  return typeof access === 'object' ? access.by : undefined
}

/**
 * The schema of a part of a request or response. The contract declares schemas with Zod Mini, which the bundler of the web app
 * reduces to the types in use: half the size of Zod.
 */
export type Schema = z.ZodMiniType
export type OptionalSchema = Schema | undefined

/**
 * The response of an endpoint that the browser opens as a page: a redirect (303) to a path of the panel, or to the address
 * of another site. Errors are JSON as everywhere: what the user should read is a page to redirect to.
 */
export const Redirect = z.object({ location: z.string() })

/**
 * An API endpoint as a value: the server registers it, the browser calls it, the API documentation lists it. `via:
 * 'node'`: the node of the server handles it, and clients reach it through the panel's `/proxy`. Without a `response`
 * schema the endpoint returns `status` (204) and no body.
 */
export interface Endpoint<
  P extends OptionalSchema = OptionalSchema,
  Q extends OptionalSchema = OptionalSchema,
  B extends OptionalSchema = OptionalSchema,
  A extends OptionalSchema = OptionalSchema,
  X extends Access = Access,
> {
  readonly method: Method
  /** `:name` is a path parameter; `:name*` at the end matches the rest of the path, with its slashes. */
  readonly path: string
  readonly access: X
  /** The action in the audit log; `undefined`: requests are not recorded. */
  readonly audit: AuditAction | undefined
  readonly via: 'panel' | 'node'
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly response: A
  readonly status: number
  /** Which body is a byte stream instead of JSON. */
  readonly stream: 'request' | 'response' | undefined
  /** Whether a user may call it who must have a second factor and has none: what the set-up needs. */
  readonly isForSetUp?: boolean
  /** Whether the response may take longer than the usual timeout for calls to a node. */
  readonly noTimeout: boolean
  /** Request headers beyond those of every endpoint, with their descriptions. The panel forwards only these to a node. */
  readonly headers?: Readonly<Record<string, string>>
  /** The same for response headers. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** Successful statuses other than `status`, with their descriptions. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  /** Statuses of errors that cannot be derived from the other fields. */
  readonly errorStatuses?: readonly number[]
  /** Error format of these statuses, where it is not the common error envelope. */
  readonly errorFormat?: { readonly statuses: readonly number[]; readonly shape: Schema }
}

interface EndpointParts<
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  A extends OptionalSchema,
> {
  params?: P
  query?: Q
  body?: B
  response?: A
  /** Default: 200 with a response schema, 204 without, 303 with `Redirect`. */
  status?: number
  stream?: 'request' | 'response'
  noTimeout?: boolean
  isForSetUp?: boolean
  headers?: Readonly<Record<string, string>>
  responseHeaders?: Readonly<Record<string, string>>
  otherStatuses?: Readonly<Record<number, string>>
  errorStatuses?: readonly number[]
  errorFormat?: NonNullable<Endpoint['errorFormat']>
}

/** What changes something is recorded in the audit log, or excluded on purpose. */
type AuditOf<M extends Method> = M extends 'GET' | 'HEAD' ? { audit?: AuditAction } : { audit: AuditAction | false }

/** A query flag: `flag=true`, or `flag` without a value, sets it; `flag=false` or a missing flag does not. */
export const QueryFlag = z.pipe(
  z.optional(z.string()),
  z.transform((value) => value !== undefined && value.toLowerCase() !== 'false'),
)

/** For endpoints that update something: prevents overwriting a change that the client has not seen (optimistic locking). */
export const ifMatch = {
  'If-Match': 'The version to replace, as returned in `ETag`. Any other version fails with `ErrStaleVersion`.',
} as const

/** The version in `If-Match` or `ETag`. `*` accepts any; a compressing proxy marks a version as weak. */
export function parseVersion(header: string | undefined): string | undefined {
  return header === '*' ? undefined : header?.replace(/^(?:W\/)?"(.*)"$/, '$1')
}

/** For endpoints that return a version. */
export const etag = { ETag: 'The version, for `If-Match`.' } as const

/** For endpoints that start a job: a request can be repeated when its response was lost. */
export const idempotencyKey = {
  'Idempotency-Key':
    'Any text of at most 100 characters. A request with the same key gets the job of the first one, and starts no other, as long as the job or its result exists.',
} as const

/** Defines an endpoint of the panel. */
export function endpoint<
  M extends Method,
  P extends OptionalSchema = undefined,
  Q extends OptionalSchema = undefined,
  B extends OptionalSchema = undefined,
  A extends OptionalSchema = undefined,
  const X extends Access = Access,
>(method: M, path: string, options: EndpointParts<P, Q, B, A> & { access: X } & AuditOf<M>): Endpoint<P, Q, B, A, X> {
  return defineEndpoint({ via: 'panel', method, path }, options)
}

/** Defines an endpoint of a server on its node, which the panel proxies under `/proxy`. Default of `params`: `OnServer`. */
export function nodeEndpoint<
  M extends Method,
  P extends OptionalSchema = typeof OnServer,
  Q extends OptionalSchema = undefined,
  B extends OptionalSchema = undefined,
  A extends OptionalSchema = undefined,
  const X extends Access = Access,
>(method: M, path: string, options: EndpointParts<P, Q, B, A> & { access: X } & AuditOf<M>): Endpoint<P, Q, B, A, X> {
  const onServer = { params: OnServer, ...options } as typeof options
  return defineEndpoint({ via: 'node', method, path }, onServer)
}

/** Defines an endpoint of the node that only the panel calls. */
export function panelEndpoint<
  P extends OptionalSchema = undefined,
  Q extends OptionalSchema = undefined,
  B extends OptionalSchema = undefined,
  A extends OptionalSchema = undefined,
>(method: Method, path: string, options: EndpointParts<P, Q, B, A>): Endpoint<P, Q, B, A, 'panel'> {
  return defineEndpoint({ via: 'node', method, path }, { ...options, access: 'panel' })
}

/** A missing part is `undefined`, and so is its type parameter. */
function defineEndpoint<
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  A extends OptionalSchema,
  X extends Access,
>(
  route: Pick<Endpoint, 'via' | 'method' | 'path'>,
  options: EndpointParts<P, Q, B, A> & { access: X; audit?: AuditAction | false },
): Endpoint<P, Q, B, A, X> {
  const { params, query, body, response, stream, noTimeout = false } = options
  const defaults = { params, query, body, response, stream, noTimeout }
  const usualStatus = (response as Schema | undefined) === Redirect ? 303 : response ? 200 : 204
  const fixed = { ...route, audit: options.audit || undefined, status: options.status ?? usualStatus }
  return { ...options, ...defaults, ...fixed } as Endpoint<P, Q, B, A, X>
}

export type InputOf<S extends OptionalSchema> = S extends Schema ? z.input<S> : undefined
export type OutputOf<S extends OptionalSchema> = S extends Schema ? z.output<S> : undefined

/** The arguments of a call: only the parts that the endpoint declares. */
type Part<K extends string, S extends OptionalSchema> = S extends Schema
  ? { readonly [key in K]: z.input<S> }
  : // biome-ignore lint/complexity/noBannedTypes: an absent part adds no key
    {}
export type RequestOf<C extends Endpoint> =
  C extends Endpoint<infer P, infer Q, infer B, OptionalSchema>
    ? Part<'params', P> & Part<'query', Q> & Part<'body', B>
    : never
export type ResponseOf<C extends Endpoint> =
  C extends Endpoint<OptionalSchema, OptionalSchema, OptionalSchema, infer A> ? OutputOf<A> : never

/** Path with parameters and query string. `undefined` values are omitted. */
export function getUrl(
  endpoint: Endpoint,
  request: { params?: Readonly<Record<string, unknown>>; query?: Readonly<Record<string, unknown>> } = {},
): string {
  const path = endpoint.path.replace(/:(\w+)(\*?)/g, (_, name: string, isRest: string) => {
    const value = String(request.params?.[name])
    return isRest ? value.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size > 0 ? `${path}?${query}` : path
}

/** The URL that a browser or API client requests from the panel: endpoints of a node are below `/proxy`. */
export function getPanelUrl(endpoint: Endpoint, request?: Parameters<typeof getUrl>[1]): string {
  return endpoint.via === 'node' ? `/proxy${getUrl(endpoint, request)}` : getUrl(endpoint, request)
}
