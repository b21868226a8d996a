import { constants } from 'node:os'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ServerStats } from '@innkeeper/contract/servers/status'
import type { ContainerInspectInfo } from 'dockerode'
import { z } from 'zod'
import { endsWithin } from '../../concurrency/timeout.ts'
import { getCode, ignoreErrors } from '../../errors/error-code.ts'
import { errorText } from '../../errors/error-text.ts'
import { rootPath } from '../../files/path/safe-path.ts'
import { RootFs } from '../../files/root.ts'
import { killTimeoutMs } from '../../proc/kill-tree.ts'
import { getProgramName } from '../../proc/process-details.ts'
import { isAlive, type ProcessId, sendSignal } from '../../proc/process-stat.ts'
import { getTree, readProcessTable } from '../../proc/process-table.ts'
import { stopTree } from '../../proc/stop-tree.ts'
import { takeUnreadInput } from '../../proc/unread-input.ts'
import { leftUntilText } from '../../processes/left-processes.ts'
import type { Exit, Run, StopRequest, UsageMonitor } from '../../processes/run.ts'
import { type Engine, isMissing, isNotRunning, retryDelayMs } from './engine.ts'
import type { LogCheckpoint, LogCheckpoints } from './log-checkpoint.ts'
import { ContainerOutput } from './output.ts'
import { measure, parseStatsStream, readMemoryStats } from './usage.ts'

/** Docker may record an OOM kill this much later than the exit of the container. */
const oomEventDelayMs = 300
const maxInputBufferBytes = 1_048_576
/** Time until a container must be paused. */
const pauseTimeoutMs = 2_000
/** The engine reads all names of what was written. */
const sizeTimeoutMs = 60_000
/** Podman leaves it out when nothing was written. */
const WrittenLayer = z.looseObject({ SizeRw: z.number().catch(0) })
/** Time that a caller waits until it goes on. */
const unpauseTimeoutMs = 10_000

type EngineApi = Pick<Engine, 'request' | 'attach' | 'closedSignal' | 'isPodman' | 'probe' | 'readLog' | 'readStats'>

interface Deps {
  readonly engine: EngineApi
  readonly checkpoints: LogCheckpoints
  readonly checkpoint?: LogCheckpoint | undefined
  readonly onRelease: (run: DockerRun) => void
  readonly log: { warn(details: object, text: string): void }
}

interface Identity {
  readonly id: string
  readonly key: string
  readonly container: string
  /** The container's first process; a dead one when the engine runs elsewhere. */
  readonly process: ProcessId
}

/** No process has this pid. */
export const noProcess: ProcessId = { pid: -1, startTime: 0 }

/** A container as a run: output, input, usage and exit, across restarts of daemon and engine. */
export class DockerRun implements Run {
  readonly id: string
  readonly key: string
  readonly process: ProcessId
  readonly hasConsole = true
  readonly exited: Promise<Exit>
  readonly #container: string
  readonly #deps: Deps
  readonly #output: ContainerOutput
  readonly #resolveExit: (exit: Exit) => void
  /** The terminal opened at the start, until it is followed. */
  #terminal: Duplex | undefined
  #input: Promise<Duplex> | undefined
  #isFollowed = false
  #onNotice: ((message: string) => void) | undefined
  #pendingNotices: string[] = []
  #onReachability: ((isInDoubt: boolean) => void) | undefined
  /** The engine does not respond for this container. */
  #isUnreachable = false
  /** The last request to pause it; resolves also when it fails. */
  #pausing: Promise<void> | undefined

  constructor({ id, key, container, process }: Identity, deps: Deps, terminal?: Duplex) {
    const { promise, resolve } = Promise.withResolvers<Exit>()
    this.id = id
    this.key = key
    this.process = process
    this.exited = promise
    this.#resolveExit = resolve
    this.#container = container
    this.#deps = deps
    this.#terminal = terminal
    if (terminal) void this.#cacheInput(Promise.resolve(terminal))
    const { engine, checkpoints, checkpoint, log } = deps
    const say = (message: string) => this.#notice(message)
    this.#output = new ContainerOutput({ engine, container, run: id, checkpoints, checkpoint, say, log })
  }

  get acknowledged(): number {
    return this.#output.acknowledged
  }

  follow(offset: number, onOutput: (data: Uint8Array, from: number) => void): void {
    if (this.#isFollowed) throw new Error(`run ${this.id} already has a listener`)
    this.#isFollowed = true
    this.#output.begin(offset, onOutput)
    void this.#follow()
  }

  acknowledge(offset: number): void {
    this.#output.acknowledge(offset)
  }

  write(data: string | Buffer): void {
    void this.#write(data)
  }

  takeUnreadInput(): string | undefined {
    return isAlive(this.process) ? takeUnreadInput(this.process.pid) : undefined
  }

  resize(cols: number, rows: number): void {
    // An exiting container has no size. Viewers send theirs again.
    void this.#attempt((engine) =>
      engine.request((docker, abortSignal) =>
        docker.getContainer(this.#container).resize({ h: rows, w: cols, abortSignal }),
      ),
    )
  }

  stop(request: StopRequest): void {
    void this.#stop(request).catch((err: unknown) =>
      this.#deps.log.warn({ err, run: this.id }, 'failed to stop all processes of a container'),
    )
  }

  /**
   * The engine signals the first process only, and the end of that one kills all others. So all processes are signaled
   * through the host, except the init process, which is held until they have ended.
   */
  async #stop({ signal, isSent = false, deadline }: StopRequest): Promise<void> {
    try {
      if (!isAlive(this.process)) throw Object.assign(new Error('the engine runs elsewhere'), { code: 'EPERM' })
      await stopTree({
        first: this.process,
        isInit: await this.#hasInit(),
        members: () => [...getTree(this.process, readProcessTable()).values()],
        signal,
        isSent,
        deadline,
        abort: this.#deps.engine.closedSignal,
        onLeft: (left) =>
          this.#notice(
            leftUntilText(
              left.map(({ pid }) => getProgramName(pid)),
              deadline,
            ),
          ),
      })
    } catch (cause) {
      if (getCode(cause) !== 'EPERM') throw cause
      if (signal !== undefined && !isSent) await this.#signalFirst(signal)
    }
  }

  /** Signals the first process through the engine. */
  async #signalFirst(signal: number): Promise<void> {
    await this.#attempt(
      (engine) =>
        engine.request((docker, abortSignal) =>
          docker.getContainer(this.#container).kill({ signal: String(signal), abortSignal }),
        ),
      `Docker Engine failed to send signal ${signal}`,
    )
  }

  /** Whether the first process is an init process of the engine, which exits with the program. */
  async #hasInit(): Promise<boolean> {
    const { HostConfig } = await this.#inspect()
    return HostConfig.Init === true
  }

  /** When the first process exits, the kernel kills the rest of the container. */
  async kill(): Promise<void> {
    const { engine } = this.#deps
    try {
      await engine.request(
        (docker, abortSignal) => docker.getContainer(this.#container).kill({ signal: 'SIGKILL', abortSignal }),
        { withinMs: killTimeoutMs },
      )
    } catch (cause) {
      if (isMissing(cause) || isNotRunning(cause)) return
      // A dead or hanging engine must not keep a server alive.
      if (!(cause instanceof Refusal) || !sendSignal(this.process, 'SIGKILL')) throw cause
    }
    const deadline = performance.now() + killTimeoutMs
    while (isAlive(this.process) && performance.now() < deadline) await pause(20)
  }

  async freeze(): Promise<boolean> {
    const { engine, log } = this.#deps
    try {
      await engine.request(
        (docker) => {
          // Not aborted after the timeout: the engine may pause the container later, which must be undone.
          const pausing: Promise<unknown> = docker.getContainer(this.#container).pause()
          this.#pausing = pausing.then(
            () => {},
            () => {},
          )
          return pausing
        },
        { withinMs: pauseTimeoutMs },
      )
      return true
    } catch (cause) {
      log.warn({ err: cause, run: this.id }, 'a container cannot be paused')
      await this.thaw()
      return false
    }
  }

  /** While the engine does not respond, the container goes on as soon as it does. */
  async thaw(): Promise<void> {
    await endsWithin(this.#unpause(), unpauseTimeoutMs)
  }

  async #unpause(): Promise<void> {
    const { engine, log } = this.#deps
    await this.#pausing
    while (!engine.closedSignal.aborted) {
      try {
        if (!(await this.isPaused())) return
        await engine.request((docker, abortSignal) => docker.getContainer(this.#container).unpause({ abortSignal }))
      } catch (cause) {
        if (isMissing(cause) || engine.closedSignal.aborted) return
        log.warn({ err: cause, run: this.id }, 'a container cannot be unpaused')
        await this.#backOff()
      }
    }
  }

  async isPaused(): Promise<boolean> {
    const { State: state } = await this.#inspect()
    return state.Paused
  }

  release(): void {
    this.#deps.onRelease(this)
    void this.#attempt(async (engine) => {
      await engine.request((docker, abortSignal) =>
        docker.getContainer(this.#container).remove({ force: true, v: true, abortSignal }),
      )
      await this.#deps.checkpoints.remove(this.id)
    })
  }

  onNotice(say: (message: string) => void): void {
    this.#onNotice = say
    for (const message of this.#pendingNotices.splice(0)) say(message)
  }

  onReachability(listener: (isInDoubt: boolean) => void): void {
    this.#onReachability = listener
    if (this.#isUnreachable) listener(true)
  }

  async writtenBytes(): Promise<number> {
    const filters = { id: [this.#container] }
    const [found] = await this.#deps.engine.request(
      (docker, abortSignal) => docker.listContainers({ all: true, size: true, filters, abortSignal }),
      { withinMs: sizeTimeoutMs },
    )
    const { Mounts: mounts } = await this.#inspect()
    const volumes = mounts.filter(({ Type }) => Type === 'volume').map(({ Source }) => sizeOfVolume(Source))
    return (await Promise.all(volumes)).reduce((sum, bytes) => sum + bytes, WrittenLayer.parse(found ?? {}).SizeRw)
  }

  async #inspect(): Promise<ContainerInspectInfo> {
    return await this.#deps.engine.request((docker, abortSignal) =>
      docker.getContainer(this.#container).inspect({ abortSignal }),
    )
  }

  measure(onMeasured: (stats: ServerStats) => void): UsageMonitor {
    const { engine } = this.#deps
    const container = this.#container
    const { pid } = this.process
    const sharesNetwork = () => this.#sharesNetwork()
    return measure(async function* (signal) {
      // Podman would report zero traffic for the host's network.
      const changes = (await sharesNetwork()) ? { networks: undefined } : {}
      for await (const figures of parseStatsStream(await engine.readStats(container, signal)))
        yield { ...figures, ...changes, ...(engine.isPodman && (await readMemoryStats(pid))) }
    }, onMeasured)
  }

  async #sharesNetwork(): Promise<boolean> {
    const { HostConfig } = await this.#inspect()
    return HostConfig.NetworkMode === 'host'
  }

  /** Called by the environment: prints a message on the console. */
  #notice(message: string): void {
    if (this.#onNotice) this.#onNotice(message)
    else this.#pendingNotices.push(message)
  }

  /** Delivers the output until the container has exited, across restarts of the engine. */
  async #follow(): Promise<void> {
    const { closedSignal } = this.#deps.engine
    const terminal = this.#terminal
    this.#terminal = undefined
    // A terminal that ended with its container delivered everything; the log need not be read.
    let isReported = terminal !== undefined && (await this.#output.readTerminal(terminal)) === 'ended'
    while (!closedSignal.aborted) {
      try {
        const { isRunning, exit } = await this.#state()
        if (this.#isUnreachable) this.#onReachable(isRunning)
        const startedAt = performance.now()
        if (isRunning || !isReported) await this.#output.readLog(closedSignal)
        isReported = false
        if (!isRunning) return await this.#end(await this.#withOutOfMemory(exit))
        // A log that ends at once although its container runs would be requested in a busy loop.
        if (performance.now() - startedAt < retryDelayMs) await this.#backOff()
      } catch (cause) {
        if (closedSignal.aborted) return
        if (isMissing(cause)) return this.#onRemoved()
        if (!this.#isUnreachable) this.#onUnreachable(cause)
        isReported = false
        await this.#backOff()
      }
    }
  }

  /** An engine that is shutting down stops accepting connections first, then ends its containers. */
  async #end(exit: Exit): Promise<void> {
    if (!(await this.#deps.engine.probe())) this.#notice(messages.endedWith)
    this.#resolveExit(exit)
  }

  #onRemoved(): void {
    this.#notice('The container of this server was removed outside of Innkeeper')
    this.#resolveExit({ code: null, signal: null })
  }

  #onReachable(isRunning: boolean): void {
    this.#isUnreachable = false
    this.#notice(isRunning ? messages.back : messages.endedWith)
    this.#onReachability?.(false)
  }

  #onUnreachable(cause: unknown): void {
    this.#isUnreachable = true
    this.#deps.log.warn({ err: cause, run: this.id }, 'the engine does not report a container')
    this.#notice(messages.gone)
    this.#onReachability?.(true)
  }

  async #backOff(): Promise<void> {
    await pause(retryDelayMs, undefined, { signal: this.#deps.engine.closedSignal }).catch(() => {})
  }

  async #state(): Promise<{ readonly isRunning: boolean; readonly exit: Exit }> {
    const { State: state } = await this.#inspect()
    return { isRunning: state.Running, exit: getExit(state.ExitCode, state.OOMKilled) }
  }

  /** Docker records an out-of-memory kill shortly after the exit: asks again when it is a possible cause. */
  async #withOutOfMemory(exit: Exit): Promise<Exit> {
    if (exit.signal !== 'SIGKILL' || exit.isOutOfMemory) return exit
    await pause(oomEventDelayMs, undefined, { signal: this.#deps.engine.closedSignal })
    return (await this.#state()).exit
  }

  async #write(data: string | Buffer): Promise<void> {
    try {
      const input = await this.#writableInput()
      if (input.writableLength > maxInputBufferBytes) {
        this.#deps.log.warn(
          { run: this.id, bytes: data.length },
          'input was dropped because the container does not read it',
        )
        return
      }
      input.write(data, (cause) => {
        if (cause && !this.#deps.engine.closedSignal.aborted) this.#inputFailed(cause)
      })
    } catch (cause) {
      this.#inputFailed(cause)
    }
  }

  async #writableInput(): Promise<Duplex> {
    const known = this.#input
    const input = await (known ?? this.#openInput())
    if (input.writable) return input
    // It broke but has not closed yet. Another command may have opened a new one.
    return await (this.#input && this.#input !== known ? this.#input : this.#openInput())
  }

  #inputFailed(cause: unknown): void {
    this.#deps.log.warn({ err: cause, run: this.id }, 'failed to write to a container')
    this.#notice('The command did not reach the server: Docker Engine does not accept it')
  }

  #openInput(): Promise<Duplex> {
    return this.#cacheInput(this.#deps.engine.attach(this.#container, 'input').then((input) => input.resume()))
  }

  /** The stream for commands. When it breaks or fails to open, the next command opens a new one. */
  #cacheInput(opening: Promise<Duplex>): Promise<Duplex> {
    const own = opening.then(
      (input) => this.#observed(input, release),
      (cause: unknown) => {
        release()
        throw cause
      },
    )
    // A newer one may have replaced it.
    const release = () => {
      if (this.#input === own) this.#input = undefined
    }
    this.#input = own
    return own
  }

  #observed(input: Duplex, release: () => void): Duplex {
    input.on('error', (cause) => {
      if (!this.#deps.engine.closedSignal.aborted)
        this.#deps.log.warn({ err: cause, run: this.id }, 'the terminal of a container broke')
    })
    const { closedSignal } = this.#deps.engine
    const end = () => input.destroy()
    closedSignal.addEventListener('abort', end)
    input.on('close', () => {
      closedSignal.removeEventListener('abort', end)
      release()
    })
    return input
  }

  /** Runs an action whose failure is harmless; `failureMessage` goes to the console. */
  async #attempt(action: (engine: EngineApi) => Promise<unknown>, failureMessage?: string): Promise<void> {
    try {
      await action(this.#deps.engine)
    } catch (cause) {
      if (this.#deps.engine.closedSignal.aborted) return
      this.#deps.log.warn({ err: cause, run: this.id }, 'the engine rejected a request')
      if (failureMessage) this.#notice(`${failureMessage}: ${errorText(cause)}`)
    }
  }
}

const messages = {
  gone: 'Docker Engine does not respond. The state of this server is unknown until it does. Start the engine (systemctl start docker).',
  back: 'Docker Engine responds again, the server continued to run',
  endedWith:
    'Docker Engine was stopped and the server with it. With "live-restore" in the settings of the engine, servers continue to run.',
} as const

/** The size of a volume that an image declares. 0 if the engine keeps it where this daemon cannot read it. */
async function sizeOfVolume(path: string): Promise<number> {
  const volume = await RootFs.open(path).catch(ignoreErrors('ENOENT', 'EACCES'))
  if (!volume) return 0
  await using _ = volume
  return (await volume.measure(rootPath, AbortSignal.timeout(sizeTimeoutMs))).bytes
}

/** Signals that programs do not turn into exit codes themselves. */
const fatal = ['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGSEGV'] as const

/**
 * The engine reports a signal as an exit code above 128. Programs that stop on request use such codes too: 143 stays a
 * code.
 */
export function getExit(code: number, isOutOfMemory: boolean): Exit {
  const signal = fatal.find((name) => constants.signals[name] + 128 === code)
  return {
    code: signal ? null : code,
    signal: signal ?? null,
    // The killed process need not have been the server's main process.
    ...(isOutOfMemory && code !== 0 && { isOutOfMemory: true }),
  }
}
