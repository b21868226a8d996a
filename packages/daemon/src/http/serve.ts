import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Endpoint, OptionalSchema, OutputOf } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { requestPurpose } from '@innkeeper/contract/ticket'
import { validationError } from '@innkeeper/contract/validate'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Principal, TicketVerifier } from './tickets.ts'

/** A call as a node serves it; who may make it is the business of the one who serves. */
export type CallSpec = Omit<Endpoint, 'access' | 'via'>

/** What a handler gets: the parts of the call after their schemas, and what the caller proved. */
export interface HandlerContext<C extends CallSpec> extends Principal {
  readonly params: OutputOf<C['params']>
  readonly query: OutputOf<C['query']>
  readonly body: OutputOf<C['body']>
  readonly header: (name: string) => string | undefined
  /** The request itself, whose body a call with `stream: 'request'` has still to read. */
  readonly request: IncomingMessage
  /** Ends when the caller leaves, or sends nothing any more. */
  readonly signal: AbortSignal
  readonly reply: Reply
}

/** An answer of bytes, for calls with `stream: 'response'`. One of a known length is that long, or breaks off. */
export class StreamResponse {
  readonly body: Readable | undefined
  readonly length: number | undefined

  constructor(body?: Readable, length?: number) {
    this.body = body
    this.length = length
  }
}

/** For what the answer alone cannot say. */
export interface Reply {
  /** Another status than the call's own. */
  status(status: number): void
  header(name: string, value: string): void
}

// biome-ignore lint/suspicious/noConfusingVoidType: a call without an answer has a handler that returns nothing
type Outcome<C extends CallSpec> = C['response'] extends undefined ? void : OutputOf<C['response']> | StreamResponse
type Handler<C extends CallSpec> = (given: HandlerContext<C>) => Outcome<C> | Promise<Outcome<C>>

/** Serves a call. There is no other way to add a route, and none without a right. */
export type Serve<K extends CallSpec> = <C extends K>(call: C, handler: Handler<C>) => void

/** Serves calls on one server: the caller needs the right that the call names. */
export function serverCallRoute(app: FastifyInstance, tickets: TicketVerifier): Serve<Endpoint> {
  return (call, handler) => {
    const { access } = call
    if (typeof access !== 'object' || !('onServer' in access)) {
      throw new Error(`${call.method} ${call.path} names no right on a server`)
    }
    route(app, call, handler, (request) => {
      const { id = '' } = request.params as { id?: string }
      return tickets.verify(request.headers.authorization, { ...purpose(request), right: access.onServer, server: id })
    })
  }
}

/** Serves calls that only the panel makes: its ticket is for the node. */
export function panelCallRoute(app: FastifyInstance, tickets: TicketVerifier): Serve<CallSpec> {
  return (call, handler) => {
    route(app, call, handler, (request) =>
      tickets.verify(request.headers.authorization, { ...purpose(request), right: 'node' }),
    )
  }
}

const purpose = (request: FastifyRequest) => ({ purpose: requestPurpose(request.method, request.url) })

function route<C extends CallSpec>(
  app: FastifyInstance,
  call: C,
  handler: Handler<C>,
  prove: (request: FastifyRequest) => Promise<Principal>,
): void {
  void app.register(async (scope) => {
    if (call.stream === 'request') skipBodyParsing(scope)
    for (const url of urlsOf(call.path)) {
      scope.route({
        method: call.method,
        url,
        bodyLimit: call.body ? limits.definitionBytes : limits.bodyBytes,
        // Before a body is read: who may not ask may not send either.
        onRequest: async (request) => {
          request.principal = await prove(request)
        },
        handler: async (request, reply) => {
          let { status } = call
          const given = {
            ...request.principal,
            params: read(call.params, paramsOf(request)),
            query: read(call.query, request.query),
            body: call.body && read(call.body, bodyOf(call.body, request)),
            header: (name: string) => one(request.headers[name]),
            request: request.raw,
            signal: callerSignal(call, request, reply),
            reply: {
              status: (other: number) => {
                status = other
              },
              header: (name: string, value: string) => void reply.header(name, value),
            },
          }
          const answer = await handler(given as HandlerContext<C>)
          reply.code(status).header('Cache-Control', 'no-store')
          return answer instanceof StreamResponse ? sendBytes(reply, answer) : reply.send(answer)
        },
      })
    }
  })
}

/** A body of bytes is for the handler to read, whatever its sender calls it. */
function skipBodyParsing(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null, undefined))
}

/** `:name*` takes all that is left, or nothing. */
function urlsOf(path: string): readonly string[] {
  const start = /^(.*)\/:\w+\*$/.exec(path)?.[1]
  return start === undefined ? [path] : [start, `${start}/*`]
}

/** The parts of the path, which the router has decoded once. */
function paramsOf(request: FastifyRequest): unknown {
  const { '*': path = '', ...params } = request.params as Readonly<Record<string, string>>
  return { path, ...params }
}

/** Ends when the caller leaves, or when a body that is on its way does not come for long. */
function callerSignal(call: CallSpec, { raw }: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort(new Refusal('ErrCancelled')))
  if (call.stream !== 'request') return gone.signal
  let before = raw.socket.bytesRead
  const timer = setInterval(() => {
    if (raw.socket.bytesRead === before) gone.abort(new Refusal('ErrCancelled'))
    before = raw.socket.bytesRead
  }, limits.nodeStreamIdleMs)
  for (const end of ['end', 'close'] as const) raw.once(end, () => clearInterval(timer))
  reply.raw.once('finish', () => {
    if (raw.complete) return
    // What is still sent after the answer is read for a moment and no more.
    const timeout = setTimeout(() => raw.destroy(), limits.lingerMs)
    for (const end of ['end', 'close'] as const) raw.once(end, () => clearTimeout(timeout))
  })
  return gone.signal
}

function sendBytes(reply: FastifyReply, { body, length }: StreamResponse): FastifyReply {
  if (!body || length === undefined) return reply.send(body)
  let sent = 0
  body.on('data', (part: Buffer) => {
    sent += part.length
  })
  // Whoever sends it sets it going.
  body.pause()
  body.once('end', () => {
    // It became shorter meanwhile: a broken connection tells the truth, a short answer would not.
    if (sent < length) reply.raw.destroy()
  })
  return reply.header('Content-Length', length).send(body)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the caller proved; set before a handler of a call runs. */
    principal?: Principal
  }
}

/** Reads one part; a handler of a call without it gets `undefined`. */
function read(schema: OptionalSchema, given: unknown): unknown {
  if (!schema) return undefined
  const found = schema.safeParse(given, { reportInput: true })
  if (found.success) return found.data
  const issue = found.error.issues[0]
  if (issue?.code === 'too_big' && issue.path.length === 0) {
    throw new Refusal('ErrFieldTooLarge', { field: 'body', max: Number(issue.maximum) })
  }
  throw validationError(found.error)
}

/** Text stays text; everything else is JSON, whatever the sender called it. */
function bodyOf(schema: z.ZodType, request: FastifyRequest): unknown {
  const text = typeof request.body === 'string' ? request.body : ''
  if (schema.def.type === 'string') return text
  try {
    // A key that objects give a meaning of their own is refused while it is still plain data.
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') throw new Refusal('ErrInvalidJson')
      return value
    })
  } catch (cause) {
    throw new Refusal('ErrInvalidJson', {}, { cause })
  }
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)
