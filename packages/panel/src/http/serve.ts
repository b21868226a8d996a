import type { Access, Endpoint } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { requestPurpose } from '@innkeeper/contract/ticket'
import { validationError } from '@innkeeper/contract/validate'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { AccessService } from '../access/access.ts'
import type { Acting } from '../access/acting.ts'
import type { Allowed, Caller } from '../access/caller.ts'
import { BytesAnswer, type Origin, type Serve, type Versions } from '../access/serve.ts'
import type { Witness } from '../activity/witness.ts'
import type { NodeProofs } from '../nodes/node-proofs.ts'
import { bearerOf, keepsake } from './credentials.ts'
import type { RequestsInFlight } from './requests-in-flight.ts'
import { sendStream } from './stream-answer.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The rule of a route; a route without one stops the start. */
    access?: Access
  }
}

interface Needs {
  readonly app: FastifyInstance
  readonly access: AccessService
  readonly masterUrl: () => string | undefined
  readonly witness: Witness
  /** Proves which node asks. */
  readonly nodes: Pick<NodeProofs, 'prove'>
  readonly inFlight: RequestsInFlight
}

/** What the rule of a request's call proved. */
interface Proven {
  readonly caller: Caller
  readonly token: string
  readonly server?: Allowed<'viewServer'>
}

/** The node whose token a request shows. */
interface ProvenNode {
  readonly caller?: undefined
  readonly nodeId: number
}

/** Registers calls: first the access rule, then the body, then validation, then the handler, then the answer's schema. */
export function serving({ app, access, masterUrl, witness, nodes, inFlight }: Needs): Serve {
  const proofs = new WeakMap<FastifyRequest, Proven | ProvenNode>()

  return (call: Endpoint, handler, { bodyBytes = limits.bodyBytes, first } = {}) => {
    /** Somebody whom we know tried what they may not. */
    async function seeRefused(request: FastifyRequest, refusal: unknown): Promise<void> {
      if (!(refusal instanceof Refusal) || refusal.status === 401) return
      const caller = await access.caller(bearerOf(request))
      await witness(call, { caller, from: request.ip, params: request.params })?.ended(refusal)
    }

    app.route({
      method: call.method,
      url: call.path,
      // A link that is good once is not used up by a look at its headers.
      exposeHeadRoute: call.method === 'GET' && call.stream === undefined,
      bodyLimit: bodyBytes,
      config: { access: call.access },
      // Before the body is read: a stranger cannot make us read one.
      onRequest: async (request, reply) => {
        if (call.access === 'node') {
          const node = await nodes.prove(bearerOf(request), requestPurpose(request.method, request.url))
          await first?.(node as never)
          proofs.set(request, node)
          return expectBody(request, reply)
        }
        const proven = await prove(access, call.access, request).catch(async (error: unknown) => {
          await seeRefused(request, error)
          throw error
        })
        if (proven) inFlight.begin(proven.caller.userId, reply.raw)
        await first?.(proven as never)
        if (proven) proofs.set(request, proven)
        expectBody(request, reply)
      },
      handler: async (request, reply) => {
        const from = originOf(request)
        const { caller } = proofs.get(request) ?? {}
        const gone = new AbortController()
        reply.raw.once('close', () => gone.abort())
        const given = {
          ...proofs.get(request),
          params: read(call.params, request.params),
          query: read(call.query, { ...(request.query as object) }),
          body: read(call.body, request.body),
          from,
          cookie: keepsake(request, from, masterUrl(), (value) => void reply.header('set-cookie', value)),
          versions: versionsOf(request, reply),
          signal: gone.signal,
        }
        const { params, body } = given
        const doing = witness(call, { caller, from: request.ip, params, body })
        let answer: unknown
        try {
          // The types of `Serve` tie the handler to this call; here they are all the same.
          answer = await (handler as (given: unknown) => unknown)({ ...given, acting: doing ?? unseen })
        } catch (error) {
          await doing?.ended(error)
          throw error
        }
        await doing?.succeeded()
        if (call.method !== 'GET' && typeof call.access === 'object') {
          const line = {
            call: `${call.method} ${call.path}`,
            params: request.params,
            user: caller?.username,
            ip: request.ip,
          }
          request.log.info(line, 'done')
        }
        if (call.stream === 'response') {
          if (!(answer instanceof BytesAnswer)) throw new Error(`${call.path} answers bytes.`)
          return sendStream(request, reply, answer)
        }
        reply.code(call.status).header('cache-control', 'no-store')
        if (!call.response) return reply.send()
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(call.response.parse(answer)))
      },
    })
  }
}

/** For calls that are not recorded. */
const unseen: Acting = {
  by: () => undefined,
  about: () => undefined,
  done: async () => undefined,
  nothing: () => undefined,
}

/** Judges the rule for a request. @throws Refusal when it does not hold. */
export async function prove(
  access: AccessService,
  rule: Access,
  request: FastifyRequest,
  token = bearerOf(request),
): Promise<Proven | undefined> {
  if (rule === 'public') return undefined
  // A node has no session, and nobody with a session is a node.
  if (rule === 'node') throw new Refusal('ErrTokenInvalid')
  const caller = await access.caller(token)
  const proven = { caller, token: token ?? '' }
  if (rule === 'session') return proven
  if (rule === 'user' || rule.by === 'user') access.inPerson(caller)
  if (rule === 'user') return proven
  if ('scope' in rule) return { ...proven, caller: access.holding(caller, rule.scope, rule.orScope) }
  const { id } = request.params as { id?: string }
  const server = await access.allow(caller, id, rule.onServer)
  return { ...proven, server: server as Allowed<'viewServer'> & typeof server }
}

/** Where a request comes from; of proxies, only trusted ones are believed. */
export function originOf(request: FastifyRequest): Origin {
  const agent = String(request.headers['user-agent'] ?? '')
  const languages = String(request.headers['accept-language'] ?? '')
  return { address: request.ip, host: request.host, isSecure: request.protocol === 'https', agent, languages }
}

/** `If-Match` holds a version in quotes; `*` takes any. */
function versionsOf({ headers }: FastifyRequest, reply: FastifyReply): Versions {
  const seen = headers['if-match']
  return {
    seen: seen === undefined || seen === '*' ? undefined : seen.replace(/^(?:W\/)?"(.*)"$/, '$1'),
    mustBeNew: headers['if-none-match'] === '*',
    tell: (version) => void reply.header('etag', `"${version}"`),
  }
}

/** A sender that stops in the middle of a body does not hold its connection for ever. */
function expectBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, headers } = request
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return
  const timer = setTimeout(() => raw.destroy(), limits.bodyMs)
  for (const end of ['end', 'close'] as const) raw.once(end, () => clearTimeout(timer))
  reply.raw.once('close', () => clearTimeout(timer))
}

function read(schema: z.ZodType | undefined, given: unknown): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(given, { reportInput: true })
  if (!result.success) throw validationError(result.error)
  return result.data
}
