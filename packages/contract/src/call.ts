import type { z } from 'zod'
import type { PanelScope, ServerRight } from './permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'PATCH'

/**
 * What a caller must prove before a call runs. `session` is any live credential, `person` a session that a person
 * opened: no OAuth2 client. `by: 'person'` asks for that beside a scope or right. `orScope` is enough in the place of
 * `scope`. `node` is one of our nodes.
 */
export type Access =
  | 'public'
  | 'session'
  | 'person'
  | 'node'
  | { readonly scope: PanelScope; readonly orScope?: PanelScope; readonly by?: 'person' }
  | { readonly onServer: ServerRight; readonly by?: 'person' }

/** A part of a call: a schema, or nothing. */
export type Shape = z.ZodType | undefined

/**
 * A call as a value: the panel (or node) serves it, the browser makes it, the API page prints it.
 * `via: 'node'` means that it is served by the server's node and reached through the panel's `/proxy`.
 * Without `answer` the call answers `status` (204) and no body.
 */
export interface Call<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Shape = Shape,
  A extends Shape = Shape,
  X extends Access = Access,
> {
  readonly method: Method
  /** With `:name` for each path parameter; `:name*` at the end takes all that is left, with its slashes. */
  readonly path: string
  readonly access: X
  readonly via: 'panel' | 'node'
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly answer: A
  readonly status: number
  /** Which body is a stream of bytes instead of JSON. */
  readonly bytes: 'sent' | 'answered' | undefined
  /** Whether the answer may take longer than a call to a node otherwise may. */
  readonly takesLong: boolean
  /** Headers that it heeds beside those of every call, and what they say. */
  readonly headers?: Readonly<Record<string, string>>
  /** Other statuses than `status` with which it ends well, and when. */
  readonly also?: Readonly<Record<number, string>>
  /** Statuses of refusals that do not follow from its parts. */
  readonly refuses?: readonly number[]
  /** What refusals with these statuses look like, where that is not the envelope of all other calls. */
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
  /** 200 with an answer, 204 without, unless said. */
  status?: number
  bytes?: 'sent' | 'answered'
  takesLong?: boolean
  headers?: Readonly<Record<string, string>>
  also?: Readonly<Record<number, string>>
  refuses?: readonly number[]
  ownRefusals?: NonNullable<Call['ownRefusals']>
}

/** For calls that change what others may have changed meanwhile: so nobody overwrites what they have not seen. */
export const ifMatch = {
  'If-Match': 'The version to be replaced, as an `ETag` said it; another one is refused with `ErrStaleVersion`.',
} as const

/** A call that the panel serves itself. */
export function call<
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
  A extends Shape = undefined,
  const X extends Access = Access,
>(parts: Parts<P, Q, B, A, X>): Call<P, Q, B, A, X> {
  return whole('panel', parts)
}

/** A call that a node serves, and the panel passes on under `/proxy`. */
export function nodeCall<
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
  A extends Shape = undefined,
  const X extends Access = Access,
>(parts: Parts<P, Q, B, A, X>): Call<P, Q, B, A, X> {
  return whole('node', parts)
}

/** A part that was not given is `undefined`, and its type parameter is `undefined` too. */
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

/** What the caller of a call gives: only the parts that the call has. */
// biome-ignore lint/complexity/noBannedTypes: an absent part adds no key
type Part<K extends string, S extends Shape> = S extends z.ZodType ? { readonly [key in K]: z.input<S> } : {}
export type Given<C extends Call> =
  C extends Call<infer P, infer Q, infer B, Shape> ? Part<'params', P> & Part<'query', Q> & Part<'body', B> : never
export type AnswerOf<C extends Call> = C extends Call<Shape, Shape, Shape, infer A> ? OutputOf<A> : never

/** The path with its parameters filled in and the query behind it. `undefined` values are left out. */
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

/** The URL as a browser or API client asks it of the panel: a node's calls go through `/proxy`. */
export function panelUrlOf(call: Call, given?: Parameters<typeof urlOf>[1]): string {
  return call.via === 'node' ? `/proxy${urlOf(call, given)}` : urlOf(call, given)
}
