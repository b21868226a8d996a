import { existsSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type Dockerode from 'dockerode'
import { abortable } from '../../concurrency/timeout.ts'

/** Interval of availability checks. */
const checkIntervalMs = 2_000
export const pingTimeoutMs = 1_000
/** Timeout of a request to the engine. */
export const callTimeoutMs = 10_000
const reconnectTimeoutMs = 30_000
export const retryDelayMs = 1_000

/** Default sockets: Docker's, then Podman's compatible one. */
export const engineSockets = ['/var/run/docker.sock', '/run/podman/podman.sock'] as const

interface Deps {
  readonly sockets: readonly string[]
  /** The engine responds, for the first time or again. */
  readonly onAvailable: () => Promise<void>
  readonly log: { info(details: object, text: string): void; warn(details: object, text: string): void }
}

/**
 * The Docker Engine of this node. It may be absent, die and come back at any time: every request has a deadline.
 * Without a response it throws `ErrDockerNotSupported`, on an error response `EngineError`.
 */
export class Engine {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  #socketPath: string
  /** Loaded with the first response: dockerode takes 30 MiB, which a node without an engine saves. */
  #docker: Dockerode | undefined
  #isResponding = false
  #isPodman = false
  #respondedAt = Number.NEGATIVE_INFINITY
  #probing: Promise<void> | undefined
  readonly #watching = new PeriodicJob({
    everyMs: checkIntervalMs,
    run: async () => void (await this.probe()),
    onError: (err) => this.#deps.log.warn({ err }, 'the Docker Engine could not be probed'),
  })

  constructor(deps: Deps) {
    this.#deps = deps
    this.#socketPath = deps.sockets[0] ?? engineSockets[0]
  }

  /** Whether it responded to the last request. */
  get isResponding(): boolean {
    return this.#isResponding
  }

  /** Whether it is Podman: its log has no fractions of seconds, and splits lines anywhere. */
  get isPodman(): boolean {
    return this.#isPodman
  }

  get socketPath(): string {
    return this.#socketPath
  }

  /** Aborted when the daemon closes. */
  get closedSignal(): AbortSignal {
    return this.#closing.signal
  }

  /** Probes now and periodically. */
  async watch(): Promise<void> {
    await this.#watching.start().run()
  }

  /** Probes the engine; never rejects. Concurrent calls share one probe. */
  async probe(): Promise<boolean> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined
    })
    await this.#probing
    return this.#isResponding
  }

  /** Waits for an engine that responded recently, because it is probably being restarted. */
  async waitUntilUp(signal: AbortSignal, onWait: () => void): Promise<void> {
    if (await this.probe()) return
    const deadline = this.#respondedAt + reconnectTimeoutMs
    if (performance.now() < deadline) onWait()
    while (performance.now() < deadline) {
      await pause(retryDelayMs, undefined, { signal })
      if (await this.probe()) return
    }
    throw new Refusal('ErrDockerNotSupported')
  }

  /** Makes a request with an immediate response. */
  async request<T>(
    question: (docker: Dockerode, abortSignal: AbortSignal) => Promise<T>,
    { withinMs = callTimeoutMs, signal }: { withinMs?: number; signal?: AbortSignal } = {},
  ): Promise<T> {
    const timeout = AbortSignal.timeout(withinMs)
    const abortSignal = AbortSignal.any(signal ? [timeout, this.closedSignal, signal] : [timeout, this.closedSignal])
    try {
      abortSignal.throwIfAborted()
      if (!this.#docker) throw new Refusal('ErrDockerNotSupported')
      // Not every request of dockerode can be aborted.
      return await abortable(question(this.#docker, abortSignal), abortSignal)
    } catch (cause) {
      signal?.throwIfAborted()
      throw this.#classify(cause)
    }
  }

  /**
   * Reads a container's log, optionally following it until the container exits. With the time of each entry by default,
   * and since one of them.
   */
  async readLog(
    container: string,
    {
      since,
      times = true,
      follow,
      signal,
    }: { since?: string | undefined; times?: boolean; follow: boolean; signal: AbortSignal },
  ): Promise<AsyncIterable<Buffer>> {
    const query = new URLSearchParams({
      stdout: '1',
      stderr: '1',
      timestamps: times ? '1' : '0',
      follow: follow ? '1' : '0',
      ...(since !== undefined && { since }),
    })
    return await this.#read(`/containers/${encodeURIComponent(container)}/logs?${query}`, signal)
  }

  /**
   * Streams a container's usage as one JSON line per second (Podman: every five) until it exits. Fails when the stream
   * stalls.
   */
  async readStats(container: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const stats = await this.#read(`/containers/${encodeURIComponent(container)}/stats?stream=1`, signal)
    return stats.setTimeout(callTimeoutMs, () => stats.destroy(new Error("the engine's stream has stalled")))
  }

  /** Plain HTTP request for streams: only the response headers have a deadline. */
  async #read(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const outgoing = request({
      socketPath: this.#socketPath,
      path,
      agent: false,
      signal: AbortSignal.any([signal, this.closedSignal]),
    })
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.end()
    const timeout = setTimeout(() => outgoing.destroy(new Error('the engine does not respond')), callTimeoutMs)
    try {
      const response = await promise
      if (response.statusCode === 200) return response
      throw await readError(response)
    } catch (cause) {
      signal.throwIfAborted()
      throw this.#classify(cause)
    } finally {
      clearTimeout(timeout)
    }
  }

  /**
   * Attaches to a container's terminal. Plain HTTP, because dockerode sends its options as a body, which Podman writes
   * to the program's stdin.
   */
  async attach(container: string, streams: 'both' | 'input'): Promise<Duplex> {
    const query = streams === 'both' ? 'stream=1&stdin=1&stdout=1&stderr=1' : 'stream=1&stdin=1'
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
    const outgoing = request({
      socketPath: this.#socketPath,
      method: 'POST',
      path: `/containers/${encodeURIComponent(container)}/attach?${query}`,
      headers: { Upgrade: 'tcp', Connection: 'Upgrade' },
      agent: false,
    })
    const timeout = setTimeout(() => outgoing.destroy(new Error('the engine does not respond')), callTimeoutMs)
    outgoing.on('upgrade', (_, socket, head) => {
      if (head.length > 0) socket.unshift(head)
      // The reader adds its own handler; until then an error must not end the daemon.
      socket.on('error', () => {})
      resolve(socket)
    })
    outgoing.on('response', (response) => {
      readError(response).then(reject, reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
    try {
      return await promise
    } catch (cause) {
      throw this.#classify(cause)
    } finally {
      clearTimeout(timeout)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the daemon is closing'))
    await this.#watching.close()
  }

  async #probe(): Promise<void> {
    const wasAnswering = this.#isResponding
    this.#isResponding = await this.#pingFirst()
    if (!this.#isResponding || this.closedSignal.aborted) {
      if (wasAnswering) this.#deps.log.warn({ socket: this.#socketPath }, 'the Docker Engine does not respond any more')
      return
    }
    this.#respondedAt = performance.now()
    if (wasAnswering) return
    try {
      this.#docker ??= await load(this.#socketPath)
      await this.#deps.onAvailable()
      this.#deps.log.info({ socket: this.#socketPath }, 'the Docker Engine responds')
    } catch (cause) {
      // The next probe retries.
      this.#isResponding = false
      this.#deps.log.warn({ err: cause, socket: this.#socketPath }, 'the Docker Engine does not list its containers')
    }
  }

  /**
   * Selects the first existing socket and returns whether its engine responds. An engine that was removed can leave its
   * socket, which is skipped. One that responded before is probably being restarted, with containers that still run.
   */
  async #pingFirst(): Promise<boolean> {
    for (const path of this.#deps.sockets.filter((socket) => existsSync(socket))) {
      const response = await this.#ping(path)
      if (response === 'refused' && this.#respondedAt === Number.NEGATIVE_INFINITY) continue
      if (path !== this.#socketPath) this.#docker = undefined
      this.#socketPath = path
      return response === 'ok'
    }
    return false
  }

  async #ping(socketPath: string): Promise<'ok' | 'refused' | 'none'> {
    const signal = AbortSignal.any([AbortSignal.timeout(pingTimeoutMs), this.closedSignal])
    const { promise, resolve } = Promise.withResolvers<'ok' | 'refused' | 'none'>()
    const outgoing = request({ socketPath, path: '/_ping', agent: false, signal }, (response) => {
      response.resume()
      this.#isPodman = response.headers['libpod-api-version'] !== undefined
      resolve(response.statusCode === 200 ? 'ok' : 'none')
    })
    outgoing.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' ? 'refused' : 'none'))
    outgoing.end()
    return await promise
  }

  #classify(cause: unknown): unknown {
    if (cause instanceof EngineError || cause instanceof Refusal) return cause
    if (cause instanceof Error && 'statusCode' in cause && typeof cause.statusCode === 'number')
      return new EngineError(cause.statusCode, getMessage(cause), { cause })
    this.#isResponding = false
    return new Refusal('ErrDockerNotSupported', {}, { cause })
  }
}

async function load(socketPath: string): Promise<Dockerode> {
  const { default: Library } = await import('dockerode')
  return new Library({ socketPath })
}

/** An error response of the engine. */
export class EngineError extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineError'
    this.status = status
  }
}

/** Whether the engine does not have the requested object. Podman can fail so when another request removes it. */
export function isMissing(cause: unknown): boolean {
  if (!(cause instanceof EngineError)) return false
  return cause.status === 404 || (cause.status === 500 && /no such container/i.test(cause.message))
}

/** Whether a container exited before it could be killed. Podman reports that as an internal error. */
export function isNotRunning(cause: unknown): boolean {
  if (!(cause instanceof EngineError)) return false
  return cause.status === 409 || (cause.status === 500 && /can only kill running containers/i.test(cause.message))
}

/** Reads an error response of a plain HTTP request. */
async function readError(response: IncomingMessage): Promise<EngineError> {
  const status = response.statusCode ?? 0
  let body = ''
  for await (const part of response) {
    body += String(part)
    if (body.length > maxMessageBytes) break
  }
  // Some responses are not JSON; they have no message.
  return new EngineError(status, messageIn(parseJsonOrUndefined(body)) ?? `the Docker Engine responded with ${status}`)
}

/** The engine's message on one line, without dockerode's prefix. */
function getMessage(cause: Error): string {
  const words = messageIn('json' in cause ? cause.json : undefined)
  return words ?? oneLine(cause.message.replace(/^\(HTTP code \d+\) [^-]*- /, ''))
}

function messageIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('message' in json)) return undefined
  return typeof json.message === 'string' ? oneLine(json.message) : undefined
}

const maxMessageBytes = 16_384
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 500)
