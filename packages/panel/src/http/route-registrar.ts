import type { ServerResponse } from 'node:http'
import {
  type Access,
  type Endpoint,
  type OptionalSchema,
  parseVersion,
  Redirect,
  requiredUser,
  type Schema,
} from '@innkeeper/contract/api/endpoint'
import { validate } from '@innkeeper/contract/definitions/validate'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessService } from '../access/access.ts'
import type { AuditContext } from '../access/audit-context.ts'
import type { AuthorizedServer, Principal, RecentLogin } from '../access/principal.ts'
import type { AuditRecorder } from '../activity/audit-recorder.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import type { NodeAuthenticator } from '../nodes/node-authenticator.ts'
import { type ClientInfo, type Preconditions, type RegisterRoute, StreamResponse } from '../routing/route-context.ts'
import { bearerToken, sessionCookies } from './credentials.ts'
import type { RequestsInFlight } from './requests-in-flight.ts'
import type { Serialize } from './serializer.ts'
import { sendStreamResponse } from './stream-response.ts'

/** Time to receive a request body, except uploads of files. */
const bodyTimeoutMs = 60_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The authorization rule of a route; registering a route without one throws. */
    access?: Access
  }
}

interface Deps {
  readonly app: FastifyInstance
  readonly access: AccessService
  readonly reauthentication: Pick<Reauthentication, 'requireRecentLogin'>
  readonly masterUrl: () => string | undefined
  readonly auditRecorder: AuditRecorder
  /** Authenticates nodes. */
  readonly nodes: Pick<NodeAuthenticator, 'authenticate'>
  readonly inFlight: RequestsInFlight
  readonly serializerFor: (schema: Schema) => Serialize
}

/** The result of authorization. */
interface Authorized {
  readonly principal: Principal
  readonly token: string
  readonly server?: AuthorizedServer<'viewServer'>
  readonly recentLogin?: RecentLogin
}

/** The authenticated node. */
interface AuthenticatedNode {
  readonly principal?: undefined
  readonly nodeId: number
}

/** Registers endpoints: authorization, body, validation, handler, serialization. */
export function routeRegistrar(deps: Deps): RegisterRoute {
  const { app, access, reauthentication, masterUrl, auditRecorder, nodes, inFlight, serializerFor } = deps
  const proofs = new WeakMap<FastifyRequest, Authorized | AuthenticatedNode>()

  return (call: Endpoint, handler, { bodyBytes = limits.bodyBytes, preHandler } = {}) => {
    /** Records a rejected request of a known principal. */
    async function auditRefusal(request: FastifyRequest, refusal: unknown): Promise<void> {
      if (!(refusal instanceof Refusal) || refusal.status === 401) return
      const principal = await access.principal(bearerToken(request), request.ip)
      await auditRecorder(call, { principal, from: request.ip, params: request.params })?.failed(refusal)
    }

    async function authorizeRecent(request: FastifyRequest): Promise<Authorized | undefined> {
      const authorized = await authorize(access, call.access, request, { isForSetUp: call.isForSetUp })
      if (!authorized || requiredUser(call.access) !== 'recentUser') return authorized
      const user = access.requireUser(authorized.principal)
      return { ...authorized, recentLogin: await reauthentication.requireRecentLogin(user, undefined, request.ip) }
    }

    // Compiled with the first response: most endpoints are rarely used.
    let serialize: Serialize | undefined

    app.route({
      method: call.method,
      url: call.path,
      // A HEAD request must not consume a one-time link.
      exposeHeadRoute: call.method === 'GET' && call.stream === undefined,
      bodyLimit: bodyBytes,
      config: { access: call.access },
      // Before the body is read, so that anonymous clients cannot send large bodies.
      onRequest: async (request, reply) => {
        if (call.access === 'node') {
          const node = await nodes.authenticate(bearerToken(request), requestPurpose(request.method, request.url))
          countConnection(request, `node ${node.nodeId}`)
          await preHandler?.(node as never)
          proofs.set(request, node)
          return bodyTimeout(request, reply)
        }
        const authorized = await authorizeRecent(request).catch(async (error: unknown) => {
          await auditRefusal(request, error)
          throw error
        })
        if (authorized) inFlight.begin(authorized.principal.userId, reply.raw)
        await preHandler?.(authorized as never)
        if (authorized) proofs.set(request, authorized)
        bodyTimeout(request, reply)
      },
      handler: async (request, reply) => {
        const client = getClientInfo(request)
        const proof = proofs.get(request)
        const { principal } = proof ?? {}
        const params = read(call.params, request.params)
        const query = read(call.query, { ...(request.query as object) })
        const body = read(call.body, request.body)
        const entry = auditRecorder(call, { principal, from: request.ip, params, body })
        let signal: AbortSignal | undefined
        const context = {
          ...proof,
          params,
          query,
          body,
          client,
          // Most handlers read neither of these two.
          get cookies() {
            return sessionCookies(request, client, masterUrl(), (value) => void reply.header('set-cookie', value))
          },
          get signal() {
            signal ??= disconnectSignal(reply.raw)
            return signal
          },
          preconditions: getPreconditions(request, reply),
          audit: entry ?? noAudit,
        }
        let result: unknown
        try {
          // `RegisterRoute` ties the handler to its endpoint; here all handlers have the same type.
          result = await (handler as (context: unknown) => unknown)(context)
        } catch (error) {
          await entry?.failed(error)
          throw error
        }
        await entry?.succeeded()
        if (call.method !== 'GET' && typeof call.access === 'object') {
          const line = {
            call: `${call.method} ${call.path}`,
            params: request.params,
            user: principal?.username,
            ip: request.ip,
          }
          request.log.info(line, 'done')
        }
        if (call.stream === 'response') {
          if (!(result instanceof StreamResponse)) throw new Error(`${call.path} must return a StreamResponse.`)
          return sendStreamResponse(request, reply, result)
        }
        reply.code(call.status).header('cache-control', 'no-store')
        if (!call.response) return reply.send()
        if (call.response === Redirect) return reply.header('location', Redirect.parse(result).location).send()
        serialize ??= serializerFor(call.response)
        return reply.type('application/json; charset=utf-8').send(serialize(result))
      },
    })
  }
}

/** For endpoints that are not audited. */
const noAudit: AuditContext = {
  setActor: () => undefined,
  setSubject: () => undefined,
  record: async () => undefined,
  skip: () => undefined,
}

interface AuthorizeOptions {
  readonly token?: string | undefined
  /** Whether users who must have a second factor and have none may send it. */
  readonly isForSetUp?: boolean | undefined
}

/**
 * Authorizes a request.
 * @throws Refusal when the rule is not satisfied
 */
export async function authorize(
  access: AccessService,
  rule: Access,
  request: FastifyRequest,
  { token = bearerToken(request), isForSetUp = false }: AuthorizeOptions = {},
): Promise<Authorized | undefined> {
  if (rule === 'public') return undefined
  // Nodes have no session, and sessions are not accepted for nodes; only nodes serve endpoints for the panel.
  if (rule === 'node' || rule === 'panel') throw new Refusal('ErrTokenInvalid')
  const principal = await access.principal(token, request.ip)
  if (!isForSetUp) access.requireSecondFactor(principal)
  countConnection(request, `user ${principal.userId}`)
  const authorized = { principal, token: token ?? '' }
  if (rule === 'session') return authorized
  if (requiredUser(rule)) access.requireUser(principal)
  if (typeof rule === 'string') return authorized
  if ('scope' in rule) return { ...authorized, principal: access.requireScope(principal, rule.scope, rule.orScope) }
  const { id } = request.params as { id?: string }
  const server = await access.authorizeServer(principal, id, rule.onServer)
  return { ...authorized, server: server as AuthorizedServer<'viewServer'> & typeof server }
}

/**
 * Counts the connection of a request for its principal.
 * @throws Refusal when it has too many
 */
export function countConnection({ server, raw }: FastifyRequest, owner: string): void {
  if (!server.connections.authenticate(raw.socket, owner)) throw new Refusal('ErrTooManyRequests')
}

/** The client of a request; forwarded headers only count from trusted proxies. */
export function getClientInfo(request: FastifyRequest): ClientInfo {
  const agent = String(request.headers['user-agent'] ?? '')
  const languages = String(request.headers['accept-language'] ?? '')
  return { address: request.ip, host: request.host, isSecure: request.protocol === 'https', agent, languages }
}

/** A signal that is aborted when the client disconnects. */
function disconnectSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.closed) gone.abort()
  else response.once('close', () => gone.abort())
  return gone.signal
}

function getPreconditions({ headers }: FastifyRequest, reply: FastifyReply): Preconditions {
  return {
    expectedVersion: parseVersion(headers['if-match']),
    mustBeNew: headers['if-none-match'] === '*',
    setVersion: (version) => void reply.header('etag', `"${version}"`),
  }
}

/** Closes the connection of a client that stops in the middle of a body. */
function bodyTimeout(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, headers } = request
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return
  const timer = setTimeout(() => raw.destroy(), bodyTimeoutMs)
  for (const end of ['end', 'close'] as const) raw.once(end, () => clearTimeout(timer))
  reply.raw.once('close', () => clearTimeout(timer))
}

function read(schema: OptionalSchema, input: unknown): unknown {
  return schema && validate(schema, input)
}
