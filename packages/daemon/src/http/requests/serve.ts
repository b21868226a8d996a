import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Endpoint, OptionalSchema, OutputOf, Schema } from '@innkeeper/contract/api/endpoint'
import { validationError } from '@innkeeper/contract/definitions/validate'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { hasPermission, requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { assertUnambiguousJson } from '@innkeeper/contract/text/json-problems'
import { limits } from '@innkeeper/contract/text/limits'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from '../../servers/registry.ts'
import { findUserId } from '../../servers/task-owners.ts'
import type { Principal, TicketVerifier } from './tickets.ts'

/** The arguments of a handler: the validated parts of the request, and its principal. */
export interface HandlerContext<C extends Endpoint> extends Principal {
  readonly params: OutputOf<C['params']>
  readonly query: OutputOf<C['query']>
  readonly body: OutputOf<C['body']>
  readonly header: (name: string) => string | undefined
  /** The raw request, whose body is still unread with `stream: 'request'`. */
  readonly request: IncomingMessage
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly reply: Reply
}

/**
 * A streamed response, with `stream: 'response'`. If its length is known and the stream is shorter, the connection is
 * broken.
 */
export class StreamResponse {
  readonly body: Readable | undefined
  readonly length: number | undefined

  constructor(body?: Readable, length?: number) {
    this.body = body
    this.length = length
  }
}

/** For what the returned value cannot express. */
export interface Reply {
  /** Overrides the endpoint's status. */
  status(status: number): void
  header(name: string, value: string): void
}

// biome-ignore lint/suspicious/noConfusingVoidType: an endpoint without a response has a handler that returns nothing
type Outcome<C extends Endpoint> = C['response'] extends undefined ? void : OutputOf<C['response']> | StreamResponse
type Handler<C extends Endpoint> = (input: HandlerContext<C>) => Outcome<C> | Promise<Outcome<C>>

/** A handler for each endpoint of a record. */
export type Handlers<E extends Readonly<Record<string, Endpoint>>> = { readonly [name in keyof E]: Handler<E[name]> }

/** Registers an endpoint of a server with its handler. */
export type Serve = <C extends Endpoint>(call: C, handler: Handler<C>) => void

/** Registers endpoints of a server: the caller needs the permission of the endpoint, which a suspension may take. */
export function serverCallRoute(app: FastifyInstance, tickets: TicketVerifier, servers: Pick<Registry, 'find'>): Serve {
  return (call, handler) => {
    const { access } = call
    if (typeof access !== 'object' || !('onServer' in access)) {
      throw new Error(`${call.method} ${call.path} has no permission on a server`)
    }
    const permission = access.onServer
    route(app, call, handler, async (request, reply) => {
      const { id = '' } = request.params as { id?: string }
      const requirement = { ...purpose(request), permission, server: id }
      const principal = await tickets.verify(request.headers.authorization, requirement)
      const server = servers.find(id)
      if (!server) return principal
      const getPermissions = () => server.permissionsNow(principal.permissions, findUserId(principal.sub))
      const isPermitted = () => hasPermission(getPermissions(), permission)
      if (!isPermitted()) throw new Refusal('ErrServerSuspended', { reason: server.suspension?.reason ?? '' })
      if (call.stream) {
        const end = server.onSuspended(() => void (isPermitted() || reply.raw.destroy()))
        reply.raw.once('close', end)
      }
      return { ...principal, permissions: getPermissions() }
    })
  }
}

/** Registers the endpoints for the panel: its ticket is for the node. */
export function registerPanelEndpoints<E extends Readonly<Record<string, Endpoint>>>(
  app: FastifyInstance,
  tickets: TicketVerifier,
  endpoints: E,
  handlers: Handlers<E>,
): void {
  for (const name in endpoints)
    route(app, endpoints[name], handlers[name], (request) =>
      tickets.verify(request.headers.authorization, { ...purpose(request), permission: 'node' }),
    )
}

const purpose = (request: FastifyRequest) => ({ purpose: requestPurpose(request.method, request.url) })

function route<C extends Endpoint>(
  app: FastifyInstance,
  call: C,
  handler: Handler<C>,
  authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<Principal>,
): void {
  void app.register(async (scope) => {
    if (call.stream === 'request') skipBodyParsing(scope)
    for (const url of getUrls(call.path)) {
      scope.route({
        method: call.method,
        url,
        bodyLimit: call.body ? limits.definitionBytes : limits.bodyBytes,
        // Before a body is read: unauthorized clients may not send one.
        onRequest: async (request, reply) => {
          request.principal = await authenticate(request, reply)
          app.connections.authenticate(request.raw.socket)
        },
        handler: async (request, reply) => {
          let { status } = call
          let signal: AbortSignal | undefined
          const input = {
            ...request.principal,
            params: read(call.params, getParams(request)),
            query: read(call.query, request.query),
            body: call.body && read(call.body, getBody(call.body, request)),
            header: (name: string) => firstValue(request.headers[name]),
            request: request.raw,
            // Most handlers do not read it.
            get signal() {
              signal ??= disconnectSignal(reply)
              return signal
            },
            reply: {
              status: (other: number) => {
                status = other
              },
              header: (name: string, value: string) => void reply.header(name, value),
            },
          }
          const result = await handler(input as HandlerContext<C>)
          if (call.method !== 'GET') await app.states.confirm()
          reply.code(status).header('Cache-Control', 'no-store')
          return result instanceof StreamResponse ? sendBytes(reply, result) : reply.send(result)
        },
      })
    }
  })
}

/** A raw body is read by the handler, whatever its content type. */
function skipBodyParsing(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null, undefined))
}

/** `:name*` matches the rest of the path, also empty. */
function getUrls(path: string): readonly string[] {
  const start = /^(.*)\/:\w+\*$/.exec(path)?.[1]
  return start === undefined ? [path] : [start, `${start}/*`]
}

/** Path parameters, decoded once by the router. */
function getParams(request: FastifyRequest): unknown {
  const { '*': path = '', ...params } = request.params as Readonly<Record<string, string>>
  return { path, ...params }
}

/** A signal that is aborted when the client disconnects. */
function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController()
  if (raw.closed) disconnected.abort(new Refusal('ErrCancelled'))
  else raw.once('close', () => disconnected.abort(new Refusal('ErrCancelled')))
  return disconnected.signal
}

function sendBytes(reply: FastifyReply, { body, length }: StreamResponse): FastifyReply {
  if (!body || length === undefined) return reply.send(body)
  let sent = 0
  body.on('data', (part: Buffer) => {
    sent += part.length
  })
  // Started by the consumer of the stream.
  body.pause()
  body.once('end', () => {
    // The content became shorter: a broken connection is detected, a short response would not be.
    if (sent < length) reply.raw.destroy()
  })
  return reply.header('Content-Length', length).send(body)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before a handler runs. */
    principal?: Principal
  }
}

/** Validates one part of the request; undefined without a schema. */
function read(schema: OptionalSchema, input: unknown): unknown {
  if (!schema) return undefined
  const found = schema.safeParse(input, { reportInput: true })
  if (found.success) return found.data
  const issue = found.error.issues[0]
  if (issue?.code === 'too_big' && issue.path.length === 0) {
    throw new Refusal('ErrFieldTooLarge', { field: 'body', max: Number(issue.maximum) })
  }
  throw validationError(found.error)
}

/** Text stays text; everything else is parsed as JSON, whatever its content type. */
function getBody(schema: Schema, request: FastifyRequest): unknown {
  const text = typeof request.body === 'string' ? request.body : ''
  if (schema.def.type === 'string') return text
  const body = parsedBody(text)
  assertUnambiguousJson(text)
  return body
}

function parsedBody(text: string): unknown {
  try {
    // Special keys such as `__proto__` are refused while it is plain data.
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') throw new Refusal('ErrInvalidJson')
      return value
    })
  } catch (cause) {
    throw new Refusal('ErrInvalidJson', {}, { cause })
  }
}

const firstValue = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value
