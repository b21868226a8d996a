import type { Readable } from 'node:stream'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { FastifyInstance } from 'fastify'
import type { AccessService } from '../access/access.ts'
import type { AuditRecorder } from '../activity/audit-recorder.ts'
import type { ActivityTargets } from '../proxy/activity-targets.ts'
import { bodyTarget, hasConsoleText } from '../proxy/body-target.ts'
import type { HttpProxy } from '../proxy/http-proxy.ts'
import { matchCall } from '../proxy/proxied-calls.ts'
import type { RequestsInFlight } from './requests-in-flight.ts'
import { authorize } from './route-registrar.ts'
import { sendStreamResponse } from './stream-response.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Path pattern of the endpoint of a node that a request is proxied to. */
    proxiedPattern: string | undefined
  }
}

interface Deps {
  readonly access: AccessService
  readonly requests: HttpProxy
  readonly targets: ActivityTargets
  readonly auditRecorder: AuditRecorder
  readonly inFlight: RequestsInFlight
}

/** Existing clients use either path. */
const prefixes = ['/proxy/daemon', '/daemon']

/** Every request ends with this reason, so that it is created only once. */
const closed = new Refusal('ErrCancelled')

/** Proxies endpoints of a server to its node, with streamed bodies. */
export async function registerProxyRoutes(
  app: FastifyInstance,
  { access, requests, targets, auditRecorder, inFlight }: Deps,
): Promise<void> {
  app.decorateRequest('proxiedPattern', undefined)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body))

    for (const prefix of prefixes) {
      scope.route({
        method: ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH'],
        url: `${prefix}/*`,
        exposeHeadRoute: false,
        config: { access: 'session' },
        handler: async (request, reply) => {
          const authorized = await authorize(access, 'session', request)
          if (!authorized) throw new Error('Authorization returned no principal.')
          const abort = new AbortController()
          // A close before the response is complete means that the client disconnected.
          reply.raw.once('close', () => abort.abort(closed))

          const [path = '', ...rest] = request.url.split('?')
          const match = matchCall(request.method, path.slice(prefix.length - '/daemon'.length))
          request.proxiedPattern = match?.call.path
          const { principal } = authorized
          inFlight.begin(principal.userId, reply.raw, match?.call)
          const { params } = match ?? {}
          const auditEntry = match && auditRecorder(match.call, { principal, from: request.ip, params })
          const body = request.body as Readable | undefined
          const named = match && auditEntry && bodyTarget(match.call, request.headers, body)
          if (match && hasConsoleText(match.call)) {
            const permission = match.call.access.onServer
            const getText = () => ({ permission, text: named?.consoleText() ?? '' })
            auditEntry?.describe(() => targets.consoleText(principal, match.params.id, getText()))
          }
          const nameInBody = () => auditEntry?.setSubject({ target: named?.target() })
          if (match && auditEntry) auditEntry.setSubject({ target: await targets.taskName(principal, match) })
          const sent = requests.forward({
            principal,
            matchedCall: match,
            search: rest.length > 0 ? `?${rest.join('?')}` : '',
            headers: request.headers,
            body,
            abort,
          })
          const response = await sent.catch(async (error: unknown) => {
            nameInBody()
            await auditEntry?.failed(error)
            throw error
          })
          nameInBody()
          await (response.refusal ? auditEntry?.failed(response.refusal) : auditEntry?.succeeded())
          if (!['GET', 'HEAD', 'PATCH'].includes(request.method)) {
            const line = { method: request.method, path, status: response.status, user: principal.username }
            request.log.info(line, 'a request was proxied')
          }
          return sendStreamResponse(request, reply, response)
        },
      })
    }
  })
}
