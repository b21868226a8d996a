import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { isRefusal } from '../errors/refusals.ts'
import type { Registry } from '../servers/registry.ts'
import type { BackupIndex, StoredBackup } from './backup-index.ts'
import { bestCopyOf } from './targets/copies.ts'

const hourMs = 60 * 60 * 1000
const defaultCheckMs = 15 * 60 * 1000
/** After this delay, a proof does not wait for quiet hours: the node may be off at night. */
const maxDelayMs = 24 * hourMs
/** Time until a proof that failed is tried again. */
const retryMs = 20 * hourMs

/** Hours of the day by the clock of the node, from `from` until before `to`; they may include midnight. */
export interface QuietHours {
  readonly from: number
  readonly to: number
}

export interface ProofOptions {
  /** Time after which a server needs a new proof; 0: never. */
  readonly intervalMs: number
  readonly quietHours: QuietHours
  /** Interval between looks for servers that need one. */
  readonly checkMs?: number | undefined
}

interface Deps {
  readonly options: ProofOptions
  readonly servers: Pick<Registry, 'servers'>
  readonly indexOf: (server: string) => BackupIndex
  readonly isBusy: () => boolean
  /** Resolves when the backup is verified. */
  readonly prove: (server: string, backup: StoredBackup) => Promise<void>
  readonly log: Logger
}

/** A server whose backups need a proof. */
export interface DueProof {
  readonly server: string
  readonly backup: StoredBackup
  /** When it was due, in milliseconds since 1970. */
  readonly dueAt: number
}

/** Verifies the newest backup of each server at least once in an interval, in quiet hours and one after another. */
export class ProofSchedule {
  readonly #deps: Deps
  readonly #timer: NodeJS.Timeout | undefined
  /** When the last proof of a server failed. */
  readonly #failedAt = new Map<string, number>()
  #checking: Promise<void> | undefined
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
    const { intervalMs, checkMs = defaultCheckMs } = deps.options
    if (intervalMs > 0) this.#timer = setInterval(() => this.#check(), checkMs).unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#checking
  }

  /** The next proof of each server that has backups to prove. */
  async planned(now = new Date()): Promise<{ readonly server: string; readonly at: number }[]> {
    const { options, servers, indexOf } = this.#deps
    if (options.intervalMs <= 0) return []
    const planned = servers.servers.map(async ({ id: server }) => {
      const index = indexOf(server)
      const due = dueProof(await index.backups(), await index.provedAt(), options.intervalMs)
      if (!due) return []
      const failedAt = this.#failedAt.get(server)
      const from = new Date(Math.max(now.getTime(), failedAt === undefined ? 0 : failedAt + retryMs))
      return [{ server, at: nextProofTime(due, options.quietHours, from).getTime() }]
    })
    return (await Promise.all(planned)).flat()
  }

  #check(): void {
    this.#checking ??= this.#proveAll()
      .catch((err: unknown) => this.#deps.log.error({ err }, 'failed to prove backups'))
      .finally(() => {
        this.#checking = undefined
      })
  }

  async #proveAll(): Promise<void> {
    const due = await Promise.all(this.#deps.servers.servers.map(({ id }) => this.#dueOf(id)))
    for (const proof of due.flatMap((proof) => proof ?? []).toSorted((a, b) => a.dueAt - b.dueAt)) {
      if (this.#isClosed || this.#deps.isBusy()) return
      if (mayProve(proof, this.#deps.options.quietHours, new Date())) await this.#prove(proof)
    }
  }

  async #dueOf(server: string): Promise<DueProof | undefined> {
    const index = this.#deps.indexOf(server)
    const { intervalMs } = this.#deps.options
    const due = dueProof(await index.backups(), await index.provedAt(), intervalMs)
    const now = Date.now()
    const isWaiting = now - (this.#failedAt.get(server) ?? Number.NEGATIVE_INFINITY) < retryMs
    return due && due.dueAt <= now && !isWaiting ? { server, ...due } : undefined
  }

  async #prove({ server, backup }: DueProof): Promise<void> {
    this.#failedAt.delete(server)
    await this.#deps.prove(server, backup).catch((error: unknown) => {
      // Another job came first.
      if (isRefusal(error, 'ErrCancelled')) return
      this.#failedAt.set(server, Date.now())
      // The job reported it.
      if (!(error instanceof Refusal)) throw error
    })
  }
}

/** The newest backup that may be good, and when it needs a proof. */
export function dueProof(
  backups: readonly StoredBackup[],
  provedAt: string | undefined,
  intervalMs: number,
): Omit<DueProof, 'server'> | undefined {
  const backup = backups.findLast(
    (candidate) => bestCopyOf(candidate)?.snapshot !== undefined && !candidate.verification?.error,
  )
  if (!backup) return undefined
  const dueAt = provedAt === undefined ? Date.parse(backup.createdAt) : Date.parse(provedAt) + intervalMs
  return { backup, dueAt }
}

/** When a proof begins that is due at some time: then, or in the next quiet hours, and at most a day late. */
export function nextProofTime({ dueAt }: Pick<DueProof, 'dueAt'>, hours: QuietHours, now: Date): Date {
  const first = new Date(Math.max(dueAt, now.getTime()))
  if (mayProve({ dueAt }, hours, first)) return first
  const quiet = new Date(first)
  quiet.setHours(hours.from, 0, 0, 0)
  if (quiet < first) quiet.setDate(quiet.getDate() + 1)
  return new Date(Math.min(quiet.getTime(), Math.max(first.getTime(), dueAt + maxDelayMs)))
}

/** Whether a due proof may begin now. */
export function mayProve({ dueAt }: Pick<DueProof, 'dueAt'>, { from, to }: QuietHours, now: Date): boolean {
  const hour = now.getHours()
  const isQuiet = from <= to ? hour >= from && hour < to : hour >= from || hour < to
  return isQuiet || now.getTime() - dueAt > maxDelayMs
}
