import type { Readable } from 'node:stream'
import { limits } from '@innkeeper/contract/limits'
import { sendCommand } from '@innkeeper/contract/node-servers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessService } from '../access/access.ts'
import type { Witness } from '../activity/witness.ts'
import type { ActivityTargets } from '../proxy/activity-targets.ts'
import { bodyTarget } from '../proxy/body-target.ts'
import { nodeCallAt } from '../proxy/node-calls.ts'
import type { RequestsService } from '../proxy/requests.ts'
import { toldRefusal } from '../proxy/told-refusal.ts'
import type { RequestsInFlight } from './requests-in-flight.ts'
import { prove } from './serve.ts'
import { watchForStall } from './stalled.ts'
import { sendStream } from './stream-answer.ts'

interface Needs {
  readonly access: AccessService
  readonly requests: RequestsService
  readonly targets: ActivityTargets
  readonly witness: Witness
  readonly inFlight: RequestsInFlight
  /** How long the rest of a body is read after the answer was sent. */
  readonly lingerMs?: number | undefined
}

/** Published clients ask either path. */
const prefixes = ['/proxy/daemon', '/daemon']

/** Passes calls on a server to its node. The body is handed on as a stream, whatever it holds. */
export async function serveProxy(
  app: FastifyInstance,
  { access, requests, targets, witness, inFlight, lingerMs = limits.lingerMs }: Needs,
): Promise<void> {
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
          const proven = await prove(access, 'session', request)
          if (!proven) throw new Error('A rule for callers proved none.')
          const gone = new AbortController()
          // Before the answer is whole, its end means that the person left.
          reply.raw.once('close', () => gone.abort())
          if (request.body) attendBody(request, reply, { gone, lingerMs })

          const [path = '', ...rest] = request.url.split('?')
          const asked = nodeCallAt(request.method, path.slice(prefix.length - '/daemon'.length))
          const { caller } = proven
          inFlight.begin(caller.userId, reply.raw, asked?.call)
          const { params } = asked ?? {}
          const doing = asked && witness(asked.call, { caller, from: request.ip, params })
          const body = request.body as Readable | undefined
          const named = asked && doing && bodyTarget(asked.call, request.headers, body)
          if (asked?.call === sendCommand) {
            doing?.describe(() => targets.command(caller, asked.params.id, named?.() ?? ''))
          }
          const nameInBody = () => {
            if (asked?.call !== sendCommand) doing?.about({ target: named?.() })
          }
          if (asked && doing) doing.about({ target: await targets.taskName(caller, asked) })
          const passing = requests.pass({
            caller,
            asked,
            search: rest.length > 0 ? `?${rest.join('?')}` : '',
            headers: request.headers,
            body,
            signal: gone.signal,
          })
          // Only what is written down is looked at: anything else passes as the stream that it is.
          const { answer, refusal } = await passing
            .then((answer) => (doing ? toldRefusal(answer) : { answer, refusal: undefined }))
            .catch(async (error: unknown) => {
              nameInBody()
              await doing?.ended(error)
              throw error
            })
          nameInBody()
          await doing?.answered(answer.status, refusal)
          if (!['GET', 'HEAD', 'PATCH'].includes(request.method)) {
            const line = { method: request.method, path, status: answer.status, user: caller.username }
            request.log.info(line, 'a request was passed on')
          }
          return sendStream(request, reply, answer)
        },
      })
    }
  })
}

/**
 * A body that does not move for long, because its sender stopped or the node does not take it, is given up. What is
 * still sent after the answer is read for a moment and no more.
 */
function attendBody(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { gone, lingerMs }: { readonly gone: AbortController; readonly lingerMs: number },
): void {
  const attended = watchForStall(
    () => raw.socket.bytesRead,
    () => gone.abort(),
  )
  for (const end of ['end', 'close'] as const) raw.once(end, attended)
  reply.raw.once('finish', () => {
    if (raw.complete || raw.readableEnded) return
    const timer = setTimeout(() => raw.destroy(), lingerMs)
    for (const end of ['end', 'close'] as const) raw.once(end, () => clearTimeout(timer))
  })
}
