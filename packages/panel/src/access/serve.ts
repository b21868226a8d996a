import type { Readable } from 'node:stream'
import type { Access, Endpoint, OptionalSchema, OutputOf } from '@innkeeper/contract/endpoint'
import type { PanelScope, RequiredPermission } from '@innkeeper/contract/permissions'
import type { z } from 'zod'
import type { Acting } from './acting.ts'
import type { Allowed, Caller, CallerWith } from './caller.ts'

/** Where a request comes from and how it reached us. */
export interface Origin {
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
export interface Keepsake {
  /** Keeps the session, and forgets the login that waited for its code. */
  keep(session: string): void
  drop(): void
  /** Keeps a login that waits for its code, out of reach of scripts. */
  keepPending(token: string): void
  /** The login that waits for its code. */
  readonly pending: string | undefined
}

/** Versions of what a call changes, so that nobody overwrites what they have not seen. */
export interface Versions {
  /** The one that the caller has seen (`If-Match`); `undefined` when any will do. */
  readonly seen: string | undefined
  /** Whether there may be none yet (`If-None-Match: *`). */
  readonly mustBeNew: boolean
  /** Says which version there is now (`ETag`). */
  tell(version: string): void
}

/** The caller, and the token that they showed. */
interface Shown {
  readonly caller: Caller
  readonly token: string
}

/** What the rule of a call proves before its handler runs. */
type Proof<X extends Access> = X extends 'public'
  ? unknown
  : X extends 'node'
    ? { readonly nodeId: number }
    : X extends 'session' | 'user'
      ? Shown
      : X extends { readonly scope: infer S extends PanelScope }
        ? Shown & { readonly caller: CallerWith<S> }
        : X extends { readonly onServer: infer R extends RequiredPermission }
          ? Shown & { readonly server: Allowed<R> }
          : never

/** What a handler gets: validated input, and the proof of its access rule. */
export type Served<P extends OptionalSchema, Q extends OptionalSchema, B extends OptionalSchema, X extends Access> = {
  readonly params: OutputOf<P>
  readonly query: OutputOf<Q>
  readonly body: OutputOf<B>
  readonly from: Origin
  readonly cookie: Keepsake
  readonly versions: Versions
  readonly acting: Acting
  /** Ends when the caller leaves. */
  readonly signal: AbortSignal
} & Proof<X>

/** What a call with `stream: 'response'` answers: it is read as fast as the caller takes it. */
export class BytesAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
  /** For chunks of the body that were sent. */
  readonly giveBack: (chunk: Uint8Array) => void

  constructor({ status, headers, body, giveBack }: BytesAnswer) {
    this.status = status
    this.headers = headers
    this.body = body
    this.giveBack = giveBack
  }
}

// biome-ignore lint/suspicious/noConfusingVoidType: a call without an answer has a handler that returns nothing
type Answer<A extends OptionalSchema> = A extends z.ZodType ? z.input<A> : void

/** The only way to answer a call: its access rule comes with it. */
export type Serve = <
  P extends OptionalSchema,
  Q extends OptionalSchema,
  B extends OptionalSchema,
  A extends OptionalSchema,
  X extends Access,
>(
  call: Endpoint<P, Q, B, A, X>,
  handler: (given: Served<P, Q, B, X>) => Answer<A> | Promise<Answer<A>>,
  how?: {
    readonly bodyBytes?: number
    /** Refuses what its rule allows, before a body is read. */
    readonly first?: (proof: Proof<X>) => Promise<void>
  },
) => void

/** What a form brings: its fields, unless the body was no form, and the `Authorization` header as it came. */
export interface Form {
  readonly form: URLSearchParams | undefined
  readonly authorization: string | undefined
  readonly address: string
}

/** An answer with a status of its own. */
export interface FormAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** That somebody tried in vain what they should not, and what for. */
  readonly inVain?: { readonly code: string; readonly target?: string | undefined }
}

/** The way to answer a public call whose body is a form. */
export type ServeForm = (
  call: Endpoint<OptionalSchema, OptionalSchema, OptionalSchema, OptionalSchema, 'public'>,
  handler: (given: Form) => Promise<FormAnswer>,
) => void
