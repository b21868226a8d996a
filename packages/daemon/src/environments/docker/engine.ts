import { existsSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type Dockerode from 'dockerode'

/** Where an engine listens unless told otherwise: Docker's own socket, then the compatible one of Podman. */
export const engineSockets = ['/var/run/docker.sock', '/run/podman/podman.sock'] as const

interface Deps {
  readonly sockets: readonly string[]
  /** The engine began to answer, also for the first time. */
  readonly onAnswer: () => Promise<void>
  readonly log: { info(details: object, text: string): void; warn(details: object, text: string): void }
}

/**
 * The Docker Engine of this node. It may be absent, die and come back at any time: every question has a deadline, and
 * one that nobody answers is `ErrDockerNotSupported`. What the engine itself says no to is an `EngineError`.
 */
export class Engine {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  #socketPath: string
  /** Loaded with the first answer: the library takes 30 MiB, which a node without an engine can do without. */
  #docker: Dockerode | undefined
  #isAnswering = false
  #isPodman = false
  #answeredAt = Number.NEGATIVE_INFINITY
  #probing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#socketPath = deps.sockets[0] ?? engineSockets[0]
  }

  /** Whether it answered when it was asked last. */
  get isAnswering(): boolean {
    return this.#isAnswering
  }

  /** Whether it only answers like Docker: its log knows no fractions of seconds, and cuts lines anywhere. */
  get isPodman(): boolean {
    return this.#isPodman
  }

  get socketPath(): string {
    return this.#socketPath
  }

  /** Ends with the daemon. */
  get closedSignal(): AbortSignal {
    return this.#closing.signal
  }

  /** Asks whether it is there, now and from now on again and again. */
  async watch(): Promise<void> {
    await this.probe()
    if (this.closedSignal.aborted) return
    this.#timer = setTimeout(() => void this.watch(), limits.dockerCheckEveryMs).unref()
  }

  /** Asks whether it is there; never rejects. Those who ask at the same time share the answer. */
  async probe(): Promise<boolean> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined
    })
    await this.#probing
    return this.#isAnswering
  }

  /** Waits for an engine that answered a moment ago, because it is probably only restarted. */
  async waitUntilUp(signal: AbortSignal, onWait: () => void): Promise<void> {
    if (await this.probe()) return
    const deadline = this.#answeredAt + limits.dockerReconnectMs
    if (performance.now() < deadline) onWait()
    while (performance.now() < deadline) {
      await pause(limits.dockerRetryMs, undefined, { signal })
      if (await this.probe()) return
    }
    throw new Refusal('ErrDockerNotSupported')
  }

  /** Asks something that is answered at once. */
  async request<T>(
    question: (docker: Dockerode, abortSignal: AbortSignal) => Promise<T>,
    { withinMs = limits.dockerCallMs, signal }: { withinMs?: number; signal?: AbortSignal } = {},
  ): Promise<T> {
    const timeout = AbortSignal.timeout(withinMs)
    const abortSignal = AbortSignal.any(signal ? [timeout, this.closedSignal, signal] : [timeout, this.closedSignal])
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const giveUp = () => reject(abortSignal.reason)
    abortSignal.addEventListener('abort', giveUp, { once: true })
    try {
      abortSignal.throwIfAborted()
      if (!this.#docker) throw new Refusal('ErrDockerNotSupported')
      // Not every question of the library can be aborted.
      return await Promise.race([question(this.#docker, abortSignal), aborted])
    } catch (cause) {
      signal?.throwIfAborted()
      throw this.#classify(cause)
    } finally {
      abortSignal.removeEventListener('abort', giveUp)
    }
  }

  /**
   * A container's log: what there is, or also what comes until it ends. With the time of each entry unless told
   * otherwise, and since one of them.
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
      ...{ stdout: '1', stderr: '1', timestamps: times ? '1' : '0', follow: follow ? '1' : '0' },
      ...(since !== undefined && { since }),
    })
    return await this.#read(`/containers/${encodeURIComponent(container)}/logs?${query}`, signal)
  }

  /**
   * What a container uses, as JSON on a line of its own, about once a second (from Podman every five) until it ends. One
   * that falls silent breaks off.
   */
  async readStats(container: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const stats = await this.#read(`/containers/${encodeURIComponent(container)}/stats?stream=1`, signal)
    return stats.setTimeout(limits.dockerCallMs, () => stats.destroy(new Error('the engine does not go on')))
  }

  /** Asks by hand for what comes bit by bit: only the beginning has to come soon. */
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
    const timeout = setTimeout(() => outgoing.destroy(new Error('the engine does not answer')), limits.dockerCallMs)
    try {
      const response = await promise
      if (response.statusCode === 200) return response
      throw await errorOf(response)
    } catch (cause) {
      signal.throwIfAborted()
      throw this.#classify(cause)
    } finally {
      clearTimeout(timeout)
    }
  }

  /**
   * Opens a way to a container's terminal. By hand, because the library sends its options as a body, which Podman types
   * into the program.
   */
  async attach(container: string, what: 'both' | 'input'): Promise<Duplex> {
    const query = what === 'both' ? 'stream=1&stdin=1&stdout=1&stderr=1' : 'stream=1&stdin=1'
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
    const outgoing = request({
      socketPath: this.#socketPath,
      method: 'POST',
      path: `/containers/${encodeURIComponent(container)}/attach?${query}`,
      headers: { Upgrade: 'tcp', Connection: 'Upgrade' },
      agent: false,
    })
    const timeout = setTimeout(() => outgoing.destroy(new Error('the engine does not answer')), limits.dockerCallMs)
    outgoing.on('upgrade', (_, socket, head) => {
      if (head.length > 0) socket.unshift(head)
      // Whoever reads it is told; between now and then a broken one must not end the daemon.
      socket.on('error', () => {})
      resolve(socket)
    })
    outgoing.on('response', (response) => {
      errorOf(response).then(reject, reject)
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

  close(): void {
    clearTimeout(this.#timer)
    this.#closing.abort(new Error('the daemon is closing'))
  }

  async #probe(): Promise<void> {
    const wasAnswering = this.#isAnswering
    this.#choose()
    this.#isAnswering = await this.#ping()
    if (!this.#isAnswering || this.closedSignal.aborted) {
      if (wasAnswering) this.#deps.log.warn({ socket: this.#socketPath }, 'the Docker Engine does not answer any more')
      return
    }
    this.#answeredAt = performance.now()
    if (wasAnswering) return
    try {
      this.#docker ??= await load(this.#socketPath)
      await this.#deps.onAnswer()
      this.#deps.log.info({ socket: this.#socketPath }, 'the Docker Engine answers')
    } catch (cause) {
      // The next look tries again.
      this.#isAnswering = false
      this.#deps.log.warn({ err: cause, socket: this.#socketPath }, 'the Docker Engine does not tell what it runs')
    }
  }

  /** The first socket that is there. */
  #choose(): void {
    const path = this.#deps.sockets.find((socket) => existsSync(socket))
    if (path === undefined || path === this.#socketPath) return
    this.#socketPath = path
    this.#docker = undefined
  }

  async #ping(): Promise<boolean> {
    const signal = AbortSignal.any([AbortSignal.timeout(limits.dockerPingMs), this.closedSignal])
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const outgoing = request({ socketPath: this.#socketPath, path: '/_ping', agent: false, signal }, (response) => {
      response.resume()
      this.#isPodman = response.headers['libpod-api-version'] !== undefined
      resolve(response.statusCode === 200)
    })
    outgoing.on('error', () => resolve(false))
    outgoing.end()
    return await promise
  }

  #classify(cause: unknown): unknown {
    if (cause instanceof EngineError || cause instanceof Refusal) return cause
    if (cause instanceof Error && 'statusCode' in cause && typeof cause.statusCode === 'number')
      return new EngineError(cause.statusCode, messageOf(cause), { cause })
    this.#isAnswering = false
    return new Refusal('ErrDockerNotSupported', {}, { cause })
  }
}

async function load(socketPath: string): Promise<Dockerode> {
  const { default: Library } = await import('dockerode')
  return new Library({ socketPath })
}

/** What the engine answered instead of doing what it was asked. */
export class EngineError extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineError'
    this.status = status
  }
}

/** Whether the engine does not have what was asked for. */
export function isMissing(cause: unknown): boolean {
  return cause instanceof EngineError && cause.status === 404
}

/** What the engine answered where we ask by hand. */
async function errorOf(response: IncomingMessage): Promise<EngineError> {
  const status = response.statusCode ?? 0
  let body = ''
  for await (const part of response) {
    body += String(part)
    if (body.length > maxMessageBytes) break
  }
  return new EngineError(status, messageIn(parseJson(body)) ?? `the Docker Engine answered with ${status}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Some answers are no JSON; then there is nothing to tell.
    return undefined
  }
}

/** The engine's own words, on one line and without those of the library. */
function messageOf(cause: Error): string {
  const words = messageIn('json' in cause ? cause.json : undefined)
  return words ?? oneLine(cause.message.replace(/^\(HTTP code \d+\) [^-]*- /, ''))
}

function messageIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('message' in json)) return undefined
  return typeof json.message === 'string' ? oneLine(json.message) : undefined
}

const maxMessageBytes = 16_384
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 500)
