import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ContainerConfig, getContainerConfig, imageNamed } from '@innkeeper/contract/definitions/container'
import {
  type Environment as EnvironmentDefinition,
  getLimits,
  type ServerLimits,
} from '@innkeeper/contract/definitions/definition'
import type { Variables } from '@innkeeper/contract/definitions/variables'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { defaultTerminalSize } from '@innkeeper/contract/servers/live'
import type { ContainerCreateOptions } from 'dockerode'
import { z } from 'zod'
import { type ProcessId, readProcessStat } from '../../proc/process-stat.ts'
import type { Environment, LaunchOptions, ProgressOptions } from '../../processes/run.ts'
import { createOptions, type ScriptSpec, scriptName, scriptOptions } from './container.ts'
import { DockerRun, noProcess } from './docker-run.ts'
import { callTimeoutMs, Engine, EngineError, engineSockets, isMissing } from './engine.ts'
import { assertMounted, openFolders } from './folders.ts'
import { ensureImage, pull } from './image.ts'
import { type LogCheckpoints, logCheckpointFiles } from './log-checkpoint.ts'

const startTimeoutMs = 60_000

const labels = {
  server: 'innkeeper.server',
  run: 'innkeeper.run',
  key: 'innkeeper.key',
  /** Several nodes may share an engine: each handles only the containers started from its data directory. */
  data: 'innkeeper.data',
} as const

const removeRetryMs = 50

/** The limits that the engine supports; older engines without these fields support them. */
const Abilities = z.looseObject({
  MemoryLimit: z.boolean().catch(true),
  CpuCfsQuota: z.boolean().catch(true),
  PidsLimit: z.boolean().catch(true),
})

interface RuntimeDirectories {
  readonly directory: string
  getFolder(server: string): string
}

export interface DockerOptions {
  readonly dataDir: string
  readonly log: {
    info(details: object, text: string): void
    warn(details: object, text: string): void
    error(details: object, text: string): void
  }
  /** The runtime store of the node, and the directory with the links of one server. */
  readonly runtimes?: RuntimeDirectories | undefined
  /** Sockets to try; the first that exists is used. */
  readonly sockets?: readonly string[] | undefined
}

/** The server that an environment is created for. */
export interface ServerContext {
  readonly rootDir: string
  readonly variables: Variables
  readonly values: ReadonlyMap<string, string>
}

interface StartRequest {
  readonly plan: LaunchOptions
  readonly image: string
  readonly rootDir: string
}

/** Creates the options of a container; `id` is that of the run. */
type OptionsFactory = (
  common: Pick<Parameters<typeof createOptions>[0], 'name' | 'user' | 'labels' | 'hasInit'>,
  id: string,
) => ContainerCreateOptions | Promise<ContainerCreateOptions>

/**
 * Entry points that handle signals and orphans themselves; some of them work only as the first process of a container.
 */
const initPrograms = ['tini', 'tini-static', 'dumb-init', 'catatonit', 'docker-init', 'init', 'my_init', 's6-svscan']

/** Connects to the engine and finds running containers; does not wait for an engine that does not respond. */
export async function openDocker(options: DockerOptions): Promise<Docker> {
  const docker = new Docker(options)
  await docker.open()
  return docker
}

/** Docker environments, and the runs in their containers. */
export class Docker {
  readonly #engine: Engine
  readonly #dataDir: string
  readonly #runtimes: RuntimeDirectories | undefined
  readonly #log: DockerOptions['log']
  readonly #checkpoints: LogCheckpoints
  readonly #runs = new Map<string, DockerRun>()
  /** Runs that are being started, which must not be treated as leftovers. */
  readonly #starting = new Set<string>()
  readonly #discovered: DockerRun[] = []
  #onDiscovered: ((runs: readonly DockerRun[]) => void) | undefined
  #hasInit = true

  constructor({ dataDir, log, runtimes, sockets = engineSockets }: DockerOptions) {
    this.#dataDir = dataDir
    this.#runtimes = runtimes
    this.#log = log
    this.#checkpoints = logCheckpointFiles(join(dataDir, 'docker'))
    this.#engine = new Engine({ sockets, log, onAvailable: () => this.#adopt() })
  }

  /** Called by `openDocker`. */
  async open(): Promise<void> {
    await this.#engine.watch()
  }

  /** Whether the engine responded to the last probe. */
  get isResponding(): boolean {
    return this.#engine.isResponding
  }

  /** Probes the engine. */
  async isAvailable(): Promise<boolean> {
    return await this.#engine.probe()
  }

  /** Returns the containers found running and not returned yet; undefined when the engine does not respond. */
  takeDiscovered(): readonly DockerRun[] | undefined {
    return this.isResponding ? this.#discovered.splice(0) : undefined
  }

  /**
   * Calls the listener with containers found whenever the engine becomes available, and at once with those not taken.
   */
  onDiscovered(onDiscovered: (runs: readonly DockerRun[]) => void): void {
    this.#onDiscovered = onDiscovered
    if (this.isResponding) onDiscovered(this.#discovered.splice(0))
  }

  /** Creates the environment for a definition. Throws on invalid settings. */
  environment(definition: EnvironmentDefinition, { rootDir, variables, values }: ServerContext): Environment {
    const spec = getContainerConfig(definition, variables, values)
    return {
      prepare: async (options) => {
        await this.#waitForEngine(options)
        for (const line of await this.#unsupportedFeatures(getLimits(definition, variables))) options.say(line)
        await ensureImage(this.#engine, spec.image, options)
      },
      pull: async (image, options) => {
        const wholeName = image === '' ? spec.image : imageNamed(image)
        await this.#waitForEngine(options)
        await pull(this.#engine, wholeName, options)
      },
      start: (plan) => this.#startServer(plan, plan.copy ? isolated(spec) : spec, rootDir),
    }
  }

  /** Creates the environment for a script; a plan needs no program. */
  scriptEnvironment(script: ScriptSpec, rootDir: string): Environment {
    return {
      prepare: async (options) => {
        await this.#waitForEngine(options)
        await ensureImage(this.#engine, script.image, options)
      },
      start: (plan) => this.#startScript(plan, script, rootDir),
    }
  }

  /** Disconnects from the engine; containers continue to run. */
  async close(): Promise<void> {
    await this.#engine.close()
  }

  async #waitForEngine({ say, signal }: ProgressOptions): Promise<void> {
    const { socketPath } = this.#engine
    try {
      await this.#engine.waitUntilUp(signal, () => say('Docker Engine does not respond. Waiting for it'))
    } catch (cause) {
      if (cause instanceof Refusal && !signal.aborted)
        say(
          `Docker Engine does not respond at ${socketPath}. Install or start it on this node (systemctl start docker).`,
        )
      throw cause
    }
  }

  /** Describes the limits that this engine does not enforce. */
  async #unsupportedFeatures(limits: Partial<ServerLimits>): Promise<string[]> {
    if (!Object.values(limits).some(Boolean)) return []
    const can = Abilities.parse(await this.#engine.request((docker) => docker.info()))
    const enforced = { memory: can.MemoryLimit, cpu: can.CpuCfsQuota, processes: can.PidsLimit }
    return (Object.keys(enforced) as (keyof typeof enforced)[])
      .filter((limit) => limits[limit] && !enforced[limit])
      .map((limit) => `Docker Engine does not enforce a limit of ${limit}`)
  }

  async #startServer(plan: LaunchOptions, spec: ContainerConfig, rootDir: string): Promise<DockerRun> {
    const folders = await openFolders(rootDir, spec.folders)
    const own = await this.#mountRuntimes(plan, spec, basename(rootDir)).catch((cause: unknown) => {
      throw getRefusal(cause, { file: plan.file, image: spec.image })
    })
    const hasOwnInit = plan.usesEntryPoint === true && (await this.#hasOwnInit(spec.image))
    const run = await this.#start({ plan, image: spec.image, rootDir }, (common) => {
      const hasInit = common.hasInit && !hasOwnInit
      return createOptions({ ...common, ...own, hasInit, rootDir, folders })
    })
    try {
      await assertMounted(run.process, folders)
      return run
    } catch (cause) {
      await run.kill()
      run.release()
      throw cause
    }
  }

  async #startScript(plan: LaunchOptions, script: ScriptSpec, rootDir: string): Promise<DockerRun> {
    const [file = ''] = script.shell
    return await this.#start({ plan: { ...plan, file }, image: script.image, rootDir }, async (common, id) => {
      const folder = this.#scriptFolder(id)
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, scriptName), script.text, { mode: 0o755 })
      return scriptOptions({ ...common, plan, rootDir }, script, folder)
    })
  }

  #scriptFolder(run: string): string {
    return join(this.#dataDir, 'docker', 'scripts', run)
  }

  /** Whether the first process of an image is an init program. */
  async #hasOwnInit(image: string): Promise<boolean> {
    const { Config: config } = await this.#engine.request((docker) => docker.getImage(image).inspect())
    const entry: unknown = config?.Entrypoint
    const [program = ''] = [entry].flat().filter((part) => typeof part === 'string')
    return initPrograms.includes(basename(program))
  }

  async #start(request: StartRequest, optionsFor: OptionsFactory): Promise<DockerRun> {
    const { plan, image, rootDir } = request
    const id = randomUUID()
    const name = `innkeeper-${plan.key.replace(/\/main$/, '').replace('/', '-')}`
    this.#starting.add(id)
    try {
      const deadline = performance.now() + callTimeoutMs
      while (!(await this.#removeLeftover(name))) {
        if (performance.now() > deadline)
          throw new Refusal('ErrContainerFailed', { reason: formatReason('containerNotRemoved', { name }) })
        await pause(removeRetryMs, undefined, { signal: this.#engine.closedSignal })
      }
      const { uid, gid } = await stat(rootDir)
      const marks = {
        [labels.server]: basename(rootDir),
        [labels.run]: id,
        [labels.key]: plan.key,
        [labels.data]: this.#dataDir,
      }
      const common = { name, user: { uid, gid }, labels: marks }
      return await this.#launch(id, plan, (hasInit) => optionsFor({ ...common, hasInit }, id))
    } catch (cause) {
      await this.#removeScript(id)
      throw getRefusal(cause, { file: plan.file, image })
    } finally {
      this.#starting.delete(id)
    }
  }

  /** Mounts the runtime store when the container needs it; its programs precede those of the image. */
  async #mountRuntimes(plan: LaunchOptions, spec: ContainerConfig, server: string) {
    if (!this.#runtimes) return { plan, spec }
    const { directory } = this.#runtimes
    const folder = this.#runtimes.getFolder(server)
    const hasOwn = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    )
    const isNamed = [plan.file, ...plan.args].some((part) => part.startsWith(`${directory}/`))
    if (!hasOwn && !isNamed) return { plan, spec }
    const mount = { source: directory, target: directory, isReadOnly: true }
    const path = plan.env.PATH ?? (await this.#readPath(spec.image))
    const env = hasOwn ? { ...plan.env, PATH: `${folder}:${path}` } : plan.env
    return { plan: { ...plan, env }, spec: { ...spec, mounts: [...spec.mounts, mount] } }
  }

  /** The PATH of an image. */
  async #readPath(image: string): Promise<string> {
    const { Config: config } = await this.#engine.request((docker) => docker.getImage(image).inspect())
    const entry = (config?.Env ?? []).find((variable) => variable.startsWith('PATH='))
    return entry?.slice('PATH='.length) || '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  }

  async #launch(
    id: string,
    plan: LaunchOptions,
    optionsFor: (hasInit: boolean) => ContainerCreateOptions | Promise<ContainerCreateOptions>,
  ): Promise<DockerRun> {
    const hasInit = this.#hasInit
    try {
      return await this.#launchOnce(id, plan, await optionsFor(hasInit))
    } catch (cause) {
      // Docker fails at the start of a container, Podman at its creation.
      if (!hasInit || !/docker-init|catatonit|\binit\b.*(?:not found|no such file)/i.test(String(cause))) throw cause
      this.#hasInit = false
      return await this.#launchOnce(id, plan, await optionsFor(false))
    }
  }

  async #launchOnce(id: string, plan: LaunchOptions, options: ContainerCreateOptions): Promise<DockerRun> {
    const engine = this.#engine
    const { id: container } = await engine.request((docker, abortSignal) =>
      docker.createContainer({ ...options, abortSignal }),
    )
    try {
      // Attached before the start, so that no output is missed.
      const terminal = await engine.attach(container, 'both')
      await engine.request((docker, abortSignal) => docker.getContainer(container).start({ abortSignal }), {
        withinMs: startTimeoutMs,
      })
      const identity = { id, key: plan.key, container, process: await this.#readProcess(container) }
      const run = new DockerRun(identity, this.#deps(), terminal)
      this.#runs.set(id, run)
      const { cols, rows } = plan.terminalSize ?? defaultTerminalSize
      run.resize(cols, rows)
      return run
    } catch (cause) {
      await engine
        .request((docker, abortSignal) => docker.getContainer(container).remove({ force: true, v: true, abortSignal }))
        .catch((failure: unknown) =>
          this.#log.warn({ err: failure, container }, 'failed to remove a container that did not start'),
        )
      throw cause
    }
  }

  /**
   * Removes a leftover container of this name. Running containers and those of others stay and are an error. Returns
   * false while the removal is in progress, as right after an exit.
   */
  async #removeLeftover(name: string): Promise<boolean> {
    const engine = this.#engine
    try {
      const found = await engine.request((docker, abortSignal) => docker.getContainer(name).inspect({ abortSignal }))
      const owner = found.Config.Labels?.[labels.data]
      if (owner !== this.#dataDir) {
        const reason =
          owner === undefined
            ? formatReason('containerOfOther', { name })
            : formatReason('containerOfOtherNode', { name, owner })
        throw new Refusal('ErrContainerFailed', { reason })
      }
      if (found.State.Running) throw new Refusal('ErrProcessRunning')
      await engine.request((docker, abortSignal) =>
        docker.getContainer(found.Id).remove({ force: true, v: true, abortSignal }),
      )
      return true
    } catch (cause) {
      if (isMissing(cause)) return true
      if (cause instanceof EngineError && cause.status === 409) return false
      throw cause
    }
  }

  /** Creates runs for every unknown container of this node, also for those that have exited meanwhile. */
  async #adopt(): Promise<void> {
    const filters = { label: [`${labels.data}=${this.#dataDir}`] }
    const found = await this.#engine.request((docker, abortSignal) =>
      docker.listContainers({ all: true, filters, abortSignal }),
    )
    for (const { Id: container, Labels: marks, State: state } of found) {
      const [id, key] = [marks[labels.run], marks[labels.key]]
      if (!id || !key || this.#runs.has(id) || this.#starting.has(id)) continue
      // The daemon died between creating and starting it.
      if (state === 'created') {
        await this.#engine.request((docker, abortSignal) =>
          docker.getContainer(container).remove({ force: true, v: true, abortSignal }),
        )
        continue
      }
      const identity = { id, key, container, process: await this.#readProcess(container) }
      const run = new DockerRun(identity, { ...this.#deps(), checkpoint: await this.#loadCheckpoint(id) })
      this.#runs.set(id, run)
      // An earlier daemon paused it for a backup or its sleep.
      if (state === 'paused') void run.thaw()
      this.#discovered.push(run)
    }
    this.#onDiscovered?.(this.#discovered.splice(0))
  }

  async #loadCheckpoint(run: string) {
    try {
      return await this.#checkpoints.load(run)
    } catch (cause) {
      this.#log.error({ err: cause, run }, 'failed to load the log checkpoint of a container')
      return undefined
    }
  }

  /** The container's first process in the host's process table; a dead one when the engine runs elsewhere. */
  async #readProcess(container: string): Promise<ProcessId> {
    const { State: state } = await this.#engine.request((docker, abortSignal) =>
      docker.getContainer(container).inspect({ abortSignal }),
    )
    const found = state.Pid > 0 ? readProcessStat(state.Pid) : undefined
    return found ? { pid: found.pid, startTime: found.startTime } : noProcess
  }

  #deps() {
    return {
      engine: this.#engine,
      checkpoints: this.#checkpoints,
      log: this.#log,
      onRelease: (run: DockerRun) => {
        this.#runs.delete(run.id)
        void this.#removeScript(run.id)
      },
    }
  }

  async #removeScript(run: string): Promise<void> {
    await rm(this.#scriptFolder(run), { recursive: true, force: true }).catch((err: unknown) =>
      this.#log.warn({ err, run }, 'failed to remove the script of a container'),
    )
  }
}

/** The container without network, published ports and mounts of its definition. */
function isolated(spec: ContainerConfig): ContainerConfig {
  return { ...spec, network: 'none', ports: [], mounts: [] }
}

/** Translates an error of the engine. */
function getRefusal(cause: unknown, { file, image }: { file: string; image: string }): unknown {
  if (!(cause instanceof EngineError)) return cause
  const { message } = cause
  if (/No such image/i.test(message))
    return new Refusal('ErrImageUnavailable', { image, reason: formatReason('imageGone') }, { cause })
  if (/executable file not found|no such file or directory: unknown|permission denied: unknown/i.test(message))
    return new Refusal('ErrMissingBinary', { expected: file }, { cause })
  return new Refusal('ErrContainerFailed', { reason: message }, { cause })
}
