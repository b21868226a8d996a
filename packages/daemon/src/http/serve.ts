import type { Call, OutputOf, Shape } from '@innkeeper/contract/call'
import { limits } from '@innkeeper/contract/limits'
import { Refusal, refusalOfInput } from '@innkeeper/contract/refusals'
import { purposeOf } from '@innkeeper/contract/ticket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Proof, TicketCheck } from './tickets.ts'

/** A call as a node serves it; who may make it is the business of the one who serves. */
export type Served = Omit<Call, 'access' | 'via'>

/** What a handler gets: the parts of the call after their schemas, and what the caller proved. */
export interface Given<C extends Served> extends Proof {
  readonly params: OutputOf<C['params']>
  readonly query: OutputOf<C['query']>
  readonly body: OutputOf<C['body']>
  readonly header: (name: string) => string | undefined
  readonly reply: Reply
}

/** For what the answer alone cannot say. */
export interface Reply {
  /** Another status than the call's own. */
  status(status: number): void
  header(name: string, value: string): void
}

type Handler<C extends Served> = C['answer'] extends undefined
  ? (given: Given<C>) => void | Promise<void>
  : (given: Given<C>) => OutputOf<C['answer']> | Promise<OutputOf<C['answer']>>

/** Serves a call. There is no other way to add a route, and none without a right. */
export type Serve<K extends Served> = <C extends K>(call: C, handler: Handler<C>) => void

/** Serves calls on one server: the caller needs the right that the call names. */
export function servingServers(app: FastifyInstance, tickets: TicketCheck): Serve<Call> {
  return (call, handler) => {
    const { access } = call
    if (typeof access !== 'object' || !('onServer' in access)) {
      throw new Error(`${call.method} ${call.path} names no right on a server`)
    }
    route(app, call, handler, (request) => {
      const { id = '' } = request.params as { id?: string }
      return tickets.check(request.headers.authorization, { ...purpose(request), right: access.onServer, server: id })
    })
  }
}

/** Serves calls that only the panel makes: its ticket is for the node. */
export function servingPanel(app: FastifyInstance, tickets: TicketCheck): Serve<Served> {
  return (call, handler) => {
    route(app, call, handler, (request) =>
      tickets.check(request.headers.authorization, { ...purpose(request), right: 'node' }),
    )
  }
}

const purpose = (request: FastifyRequest) => ({ purpose: purposeOf(request.method, request.url) })

function route<C extends Served>(
  app: FastifyInstance,
  call: C,
  handler: Handler<C>,
  prove: (request: FastifyRequest) => Promise<Proof>,
): void {
  app.route({
    method: call.method,
    url: call.path,
    bodyLimit: call.body ? limits.definitionBytes : limits.bodyBytes,
    // Before a body is read: who may not ask may not send either.
    onRequest: async (request) => {
      request.proof = await prove(request)
    },
    handler: async (request, reply) => {
      let { status } = call
      const given = {
        ...request.proof,
        params: read(call.params, request.params),
        query: read(call.query, request.query),
        body: call.body && read(call.body, bodyOf(call.body, request)),
        header: (name: string) => one(request.headers[name]),
        reply: {
          status: (other: number) => {
            status = other
          },
          header: (name: string, value: string) => void reply.header(name, value),
        },
      }
      const answer = await handler(given as Given<C>)
      return reply.code(status).header('Cache-Control', 'no-store').send(answer)
    },
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the caller proved; set before a handler of a call runs. */
    proof?: Proof
  }
}

/** Reads one part; a handler of a call without it gets `undefined`. */
function read(schema: Shape, given: unknown): unknown {
  if (!schema) return undefined
  const found = schema.safeParse(given, { reportInput: true })
  if (found.success) return found.data
  const issue = found.error.issues[0]
  if (issue?.code === 'too_big' && issue.path.length === 0) {
    throw new Refusal('ErrFieldTooLarge', { field: 'body', max: Number(issue.maximum) })
  }
  throw refusalOfInput(found.error)
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
