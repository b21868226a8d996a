import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { limits } from '@innkeeper/contract/limits'
import type { FastifyInstance } from 'fastify'
import type { AccessService } from '../access/access.ts'
import type { Witness } from '../activity/witness.ts'
import { nodeCallAt } from '../proxy/node-calls.ts'
import type { RequestsService } from '../proxy/requests.ts'
import { toldRefusal } from '../proxy/told-refusal.ts'
import { prove } from './serve.ts'

interface Needs {
  readonly access: AccessService
  readonly requests: RequestsService
  readonly witness: Witness
}

/** Published clients ask either path. */
const prefixes = ['/proxy/daemon', '/daemon']

/** Passes calls on a server to its node. The body is handed on as a stream, whatever it holds. */
export async function serveProxy(app: FastifyInstance, { access, requests, witness }: Needs): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body))

    for (const prefix of prefixes) {
      scope.route({
        method: ['GET', 'POST', 'PUT', 'DELETE'],
        url: `${prefix}/*`,
        exposeHeadRoute: false,
        config: { access: 'session' },
        handler: async (request, reply) => {
          const proven = await prove(access, 'session', request)
          if (!proven) throw new Error('A rule for callers proved none.')
          const gone = new AbortController()
          // Before the answer is whole, its end means that the person left.
          reply.raw.once('close', () => gone.abort())
          if (request.body) abortWhenStalled(request.raw, gone)

          const [path = '', ...rest] = request.url.split('?')
          const inside = path.slice(prefix.length - '/daemon'.length)
          const found = nodeCallAt(request.method, inside)
          const { caller } = proven
          const doing = found && witness(found.call, { caller, from: request.ip, params: found.params })
          const passing = requests.pass({
            caller,
            method: request.method,
            path: inside,
            search: rest.length > 0 ? `?${rest.join('?')}` : '',
            headers: request.headers,
            body: request.body as Readable | undefined,
            signal: gone.signal,
          })
          // Only what is written down is looked at: anything else passes as the stream that it is.
          const { answer, refusal } = await passing
            .then((answer) => (doing ? toldRefusal(answer) : { answer, refusal: undefined }))
            .catch(async (error: unknown) => {
              await doing?.ended(error)
              throw error
            })
          await doing?.answered(answer.status, refusal)
          if (request.method !== 'GET') {
            const line = { method: request.method, path, status: answer.status, user: caller.username }
            request.log.info(line, 'a request was passed on')
          }
          reply.code(answer.status).headers(answer.headers).header('cache-control', 'no-store')
          return reply.send(answer.body)
        },
      })
    }
  })
}

/** A body that does not move for long, because its sender stopped or the node does not take it, is given up. */
function abortWhenStalled(request: IncomingMessage, gone: AbortController): void {
  let before = request.socket.bytesRead
  const timer = setInterval(() => {
    if (request.socket.bytesRead === before) gone.abort()
    before = request.socket.bytesRead
  }, limits.nodeStreamIdleMs)
  const done = () => clearInterval(timer)
  request.once('end', done)
  gone.signal.addEventListener('abort', done, { once: true })
}
