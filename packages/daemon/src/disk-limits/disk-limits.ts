import { withLock } from '@innkeeper/contract/jobs/mutex'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import { Semaphore } from '../concurrency/semaphore.ts'
import { endsWithin } from '../concurrency/timeout.ts'
import type { FileOperations } from '../file-jobs/file-operations.ts'
import type { Measurement } from '../files/space/disk-limit.ts'
import type { ProjectQuotas } from '../isolation/project-quotas.ts'
import type { NodeEvents } from '../panel-link/node-events.ts'
import type { Registry } from '../servers/registry.ts'
import type { Server } from '../servers/server.ts'
import type { Trash } from '../trash/trash.ts'

const mebibyte = 1024 ** 2
/** Servers whose limit is applied or measured at the same time. */
const atOnce = 2
/** How long others wait for the measurement of one server, which goes on. */
const defaultSharedMs = 10_000

interface Deps {
  readonly servers: Pick<Registry, 'servers' | 'onAdded'>
  readonly quotas: Pick<ProjectQuotas, 'missing' | 'isAssigned' | 'assign' | 'setLimit' | 'usedBytes' | 'forget'>
  readonly fileOperations: Pick<FileOperations, 'on'>
  readonly trash: Pick<Trash, 'of' | 'prepare'>
  readonly events: Pick<NodeEvents, 'add'>
  readonly log: Logger
  /** Interval of measurements. */
  readonly everyMs?: number
  readonly sharedMs?: number
}

/**
 * Applies the limits of disk space of servers to the file system where it keeps them, measures the used space, and
 * reports servers that have nearly none left.
 */
export class DiskLimits {
  readonly #deps: Deps
  readonly #measuring: PeriodicJob
  readonly #closing = new AbortController()
  /** Servers whose files belong to a project. */
  readonly #assigned = new Set<string>()
  readonly #semaphore: Semaphore
  readonly #sharedMs: number
  /** What runs in the background. */
  readonly #working = new Set<Promise<void>>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#sharedMs = deps.sharedMs ?? defaultSharedMs
    this.#semaphore = new Semaphore(atOnce, { perKey: 1, sharedMs: this.#sharedMs })
    for (const server of deps.servers.servers) this.#add(server)
    deps.servers.onAdded((server) => this.#add(server))
    this.#measuring = new PeriodicJob({
      everyMs: deps.everyMs ?? 60_000,
      run: (signal) => this.#measureAll(signal),
      onError: (err) => deps.log.warn({ err }, 'the used disk space of servers could not be measured'),
    }).start()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#measuring.close()
    await Promise.all(this.#working)
  }

  #add(server: Server): void {
    const { diskLimit, id } = server
    const { events, quotas, log } = this.#deps
    const warn = (err: unknown) => this.#warn(server, err)
    diskLimit.keepWith({
      apply: () => this.#apply(server).catch(warn),
      measure: () => this.#measure(server).catch((err: unknown) => void warn(err)),
    })
    diskLimit.onNearlyFull((isNearlyFull) => {
      if (isNearlyFull) this.#report(server)
      else events.add({ type: 'diskLimitDone', server: id })
    })
    const update = () => this.#track(this.#semaphore.run(() => this.#update(server), { key: id }).catch(warn))
    server.definition.onChange(update)
    // Files of a running server are not assigned to a project, see `#apply`.
    server.onStatus(({ state }) => {
      const isAssignable = quotas.missing === undefined && diskLimit.limitBytes !== undefined
      if (state === 'offline' && isAssignable && !this.#assigned.has(id)) update()
    })
    server.onRemoved(() => {
      this.#assigned.delete(id)
      const failed = (err: unknown) => log.warn({ err, server: id }, 'the disk quota of a removed server stays')
      this.#track(quotas.forget(id).catch(failed))
    })
    update()
  }

  async #update(server: Server): Promise<void> {
    await this.#apply(server)
    if (server.diskLimit.limitBytes === undefined) server.diskLimit.measured(undefined)
    else await server.diskLimit.refresh()
  }

  /** Sets the limit in the file system, if it keeps one. A server without a limit gets no project. */
  async #apply(server: Server): Promise<void> {
    const { quotas } = this.#deps
    if (quotas.missing !== undefined || server.isBeingRemoved) return
    await withLock([this, server], async () => {
      if (server.diskLimit.limitBytes !== undefined && !this.#assigned.has(server.id)) await this.#assign(server)
      await quotas.setLimit(server.id, server.diskLimit.enforcedBytes)
    })
  }

  async #assign(server: Server): Promise<void> {
    const { quotas, trash } = this.#deps
    await using files = await server.openFiles()
    if (!(await quotas.isAssigned(server.id, files.directory))) {
      // Meanwhile it could not rename files between folders with and without the project.
      if (server.status.state !== 'offline' && server.status.state !== 'waiting') return
      await quotas.assign(server.id, files.directory, this.#closing.signal)
    }
    // What is restored from the trash is moved back into the project.
    await quotas.assign(server.id, await trash.prepare(server.id), this.#closing.signal)
    this.#assigned.add(server.id)
  }

  /** The space that counts for the limit: also that of the trash. */
  async #measure(server: Server): Promise<Measurement | undefined> {
    const { quotas, fileOperations, trash } = this.#deps
    if (server.isBeingRemoved) return undefined
    if (this.#assigned.has(server.id)) {
      const used = await quotas.usedBytes(server.id)
      return used === undefined ? undefined : { bytes: used, includesStaged: true }
    }
    const bytes = await fileOperations.on(server.id).usage.measure()
    if (bytes === undefined) return undefined
    return { bytes: bytes + (await trash.of(server.id).usedBytes(this.#closing.signal)), includesStaged: false }
  }

  /** One server after the other: it is disk I/O without urgency. */
  async #measureAll(signal: AbortSignal): Promise<void> {
    for (const server of this.#deps.servers.servers) {
      if (signal.aborted) return
      if (server.diskLimit.limitBytes === undefined || server.isBeingRemoved) continue
      const refreshing = this.#semaphore
        .run(() => server.diskLimit.refresh(), { key: server.id, signal })
        .catch((err: unknown) => this.#warn(server, err))
      this.#track(refreshing)
      await endsWithin(refreshing, this.#sharedMs)
    }
  }

  #report({ id, console, diskLimit }: Server): void {
    const { space } = diskLimit
    if (!space) return
    const [used, max] = [space.usedBytes, space.limitBytes].map((bytes) => Math.ceil(bytes / mebibyte))
    const detail = `${used} of ${max} MiB are in use`
    console.say(
      `This server has nearly reached its limit of disk space: ${detail}. Delete files and empty the trash, or ask an administrator for more.`,
    )
    this.#deps.events.add({ type: 'diskLimit', server: id, detail })
  }

  #warn(server: Server, err: unknown): void {
    if (this.#closing.signal.aborted || server.isBeingRemoved) return
    this.#deps.log.warn({ err, server: server.id }, 'the limit of disk space of a server could not be kept')
  }

  #track(working: Promise<void>): void {
    this.#working.add(working)
    void working.finally(() => this.#working.delete(working))
  }
}
