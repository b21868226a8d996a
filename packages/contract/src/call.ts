import type { z } from 'zod'
import type { PanelScope, ServerRight } from './permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'PATCH'

/**
 * What a request must prove before the handler runs. `session`: any valid credential. `user`: a session of a user, not
 * an OAuth2 client. `by: 'user'` requires this in addition to a scope or permission. `orScope` is accepted instead of
 * `scope`. `node`: a request signed by a node of this panel.
 */
export type Access =
  | 'public'
  | 'session'
  | 'person'
  | 'node'
  | { readonly scope: PanelScope; readonly orScope?: PanelScope; readonly by?: 'person' }
  | { readonly onServer: ServerRight; readonly by?: 'person' }

/** The schema of a part of a request or response, or undefined. */
export type Shape = z.ZodType | undefined

/**
 * An API endpoint as a value: the server registers it, the browser calls it, the API documentation lists it. `via:
 * 'node'`: the node of the server handles it, and clients reach it through the panel's `/proxy`. Without a `response`
 * schema the endpoint returns `status` (204) and no body.
 */
export interface Call<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Shape = Shape,
  A extends Shape = Shape,
  X extends Access = Access,
> {
  readonly method: Method
  /** `:name` is a path parameter; `:name*` at the end matches the rest of the path, with its slashes. */
  readonly path: string
  readonly access: X
  readonly via: 'panel' | 'node'
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly answer: A
  readonly status: number
  /** Which body is a byte stream instead of JSON. */
  readonly bytes: 'sent' | 'answered' | undefined
  /** Whether the response may take longer than the usual timeout for calls to a node. */
  readonly takesLong: boolean
  /** Request headers beyond those of every endpoint, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>
  /** Successful statuses other than `status`, with their descriptions. */
  readonly also?: Readonly<Record<number, string>>
  /** Statuses of errors that cannot be derived from the other fields. */
  readonly refuses?: readonly number[]
  /** Error format of these statuses, where it is not the common error envelope. */
  readonly ownRefusals?: { readonly statuses: readonly number[]; readonly shape: z.ZodType }
}

interface Parts<P extends Shape, Q extends Shape, B extends Shape, A extends Shape, X extends Access> {
  method: Method
  path: string
  access: X
  params?: P
  query?: Q
  body?: B
  answer?: A
  /** Default: 200 with a response schema, 204 without. */
  status?: number
  bytes?: 'sent' | 'answered'
  takesLong?: boolean
  headers?: Readonly<Record<string, string>>
  also?: Readonly<Record<number, string>>
  refuses?: readonly number[]
  ownRefusals?: NonNullable<Call['ownRefusals']>
}

/** For endpoints that update something: prevents overwriting a change that the client has not seen. */
export const ifMatch = {
  'If-Match': 'The version to replace, as returned in `ETag`. Any other version fails with `ErrStaleVersion`.',
} as const

/** Defines an endpoint of the panel. */
export function call<
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
  A extends Shape = undefined,
  const X extends Access = Access,
>(parts: Parts<P, Q, B, A, X>): Call<P, Q, B, A, X> {
  return whole('panel', parts)
}

/** Defines an endpoint of the node, which the panel proxies under `/proxy`. */
export function nodeCall<
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
  A extends Shape = undefined,
  const X extends Access = Access,
>(parts: Parts<P, Q, B, A, X>): Call<P, Q, B, A, X> {
  return whole('node', parts)
}

/** A missing part is `undefined`, and so is its type parameter. */
function whole<P extends Shape, Q extends Shape, B extends Shape, A extends Shape, X extends Access>(
  via: 'panel' | 'node',
  { status, bytes, takesLong = false, ...parts }: Parts<P, Q, B, A, X>,
): Call<P, Q, B, A, X> {
  const { params, query, body, answer } = parts
  const whole = { ...parts, params, query, body, answer, via, status: status ?? (answer ? 200 : 204), bytes, takesLong }
  return whole as Call<P, Q, B, A, X>
}

export type InputOf<S extends Shape> = S extends z.ZodType ? z.input<S> : undefined
export type OutputOf<S extends Shape> = S extends z.ZodType ? z.output<S> : undefined

/** The arguments of a call: only the parts that the endpoint declares. */
// biome-ignore lint/complexity/noBannedTypes: an absent part adds no key
type Part<K extends string, S extends Shape> = S extends z.ZodType ? { readonly [key in K]: z.input<S> } : {}
export type Given<C extends Call> =
  C extends Call<infer P, infer Q, infer B, Shape> ? Part<'params', P> & Part<'query', Q> & Part<'body', B> : never
export type AnswerOf<C extends Call> = C extends Call<Shape, Shape, Shape, infer A> ? OutputOf<A> : never

/** Path with parameters and query string. `undefined` values are omitted. */
export function urlOf(
  call: Call,
  given: { params?: Readonly<Record<string, unknown>>; query?: Readonly<Record<string, unknown>> } = {},
): string {
  const path = call.path.replace(/:(\w+)(\*?)/g, (_, name: string, isRest: string) => {
    const value = String(given.params?.[name])
    return isRest ? value.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given.query ?? {})) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size > 0 ? `${path}?${query}` : path
}

/** The URL that a browser or API client requests from the panel: endpoints of a node are below `/proxy`. */
export function panelUrlOf(call: Call, given?: Parameters<typeof urlOf>[1]): string {
  return call.via === 'node' ? `/proxy${urlOf(call, given)}` : urlOf(call, given)
}
