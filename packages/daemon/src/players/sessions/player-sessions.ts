import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PlayerEvent } from '@innkeeper/contract/definitions/player-patterns'
import { displayedText } from '@innkeeper/contract/errors/one-line'
import { sharedSave } from '@innkeeper/contract/jobs/mutex'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { GameStatus, PlayerName } from '@innkeeper/contract/servers/players'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { writeFileAtomic } from '../../fs/atomic-write.ts'
import { readTextIfExistsSync } from '../../fs/if-exists.ts'
import { JsonLog } from '../../fs/json-log.ts'
import { type EndedSession, mergePlayers, nobody, type OpenSession, type PlayerReport } from './merge-players.ts'

export const sessionsKeptMs = 365 * 24 * 60 * 60 * 1000
/** Of one server; on disk up to twice as much. */
const maxSessions = 100_000
const maxSessionBytes = 8 * 1024 * 1024
/** Ended sessions that wait to be written; more of a flood are dropped. */
const maxUnwritten = 5_000
const maxNameChars = 100
/** A kill loses at most this much of a session that goes on. */
const saveEveryMs = 60_000

const Ended = z.object({ name: z.string(), id: z.optional(z.string()), since: z.number(), until: z.number() })
const Open = z.object({
  name: z.string(),
  id: z.optional(z.string()),
  since: z.number(),
  lineAt: z.optional(z.number()),
})
/** Who is online, in which process, and when this was known. */
const Online = z.object({ run: z.string(), at: z.number(), open: z.array(Open) })

interface Deps {
  readonly dir: string
  readonly id: string
  readonly log: Logger
}

/**
 * Who plays on a server and who has: sessions of the last year, from lines of the console and from answers of the game.
 * Sessions outlast a restart of the daemon while the process of the server runs.
 */
export class PlayerSessions {
  readonly #log: Logger
  readonly #ended: JsonLog<EndedSession>
  readonly #onlinePath: string
  readonly #job: PeriodicJob
  #players = nobody
  #unwritten: EndedSession[] = []
  /** The process of the server. */
  #run: string | undefined
  /** Until when the process was known to run, when that was an earlier daemon; epoch milliseconds. */
  #knownUntil: number | undefined
  #isSaved = true
  readonly #save = sharedSave(this, () => this.#write())

  constructor({ dir, id, log }: Deps) {
    this.#log = log
    this.#ended = new JsonLog({
      path: join(dir, `${id}.sessions`),
      schema: Ended,
      maxItems: maxSessions,
      maxBytes: maxSessionBytes,
    })
    this.#onlinePath = join(dir, `${id}.online`)
    this.#load()
    this.#job = new PeriodicJob({
      everyMs: saveEveryMs,
      run: () => this.#save(),
      onError: (err) => log.error({ err }, 'failed to store sessions of players'),
    }).start()
  }

  get online(): readonly OpenSession[] {
    return this.#players.open
  }

  /** The process of the server runs; an earlier one does not any more. */
  begin(run: string): void {
    if (this.#run !== run) this.end()
    this.#run = run
    this.#knownUntil = undefined
  }

  /** The process of the server does not run. */
  end(): void {
    if (this.#run === undefined) return
    this.#report({ type: 'end', at: this.#knownUntil ?? Date.now() })
    this.#run = undefined
    this.#knownUntil = undefined
  }

  /** A line of a process about a player, which it has just printed. */
  addLine(run: string, event: PlayerEvent, groups: Readonly<Record<string, string>>): void {
    if (run !== this.#run) return
    const [name, id] = [toText(groups.name), toText(groups.id)]
    if (name === undefined && id === undefined) return
    this.#report({ type: event, player: { name, id }, at: Date.now() })
  }

  /** An answer of the game. */
  addStatus({ players: { online, names } }: GameStatus): void {
    if (this.#run === undefined || !names) return
    const players = names.flatMap(({ name, id }) => toPlayer(name, id) ?? [])
    this.#report({ type: 'list', players, isComplete: names.length >= online, at: Date.now() })
  }

  /** The sessions of the last year that have ended, oldest first. */
  async readEnded(): Promise<EndedSession[]> {
    await this.#save()
    const since = Date.now() - sessionsKeptMs
    // One that was written just before a kill may have been closed again.
    const unique = new Map((await this.#ended.read()).map((one) => [`${one.since} ${one.id} ${one.name}`, one]))
    return [...unique.values()].filter(({ until }) => until >= since)
  }

  /** Deletes the sessions of a name. A player who is online begins another. */
  async forget(name: string): Promise<void> {
    await this.#forget((session) => session.name !== name)
  }

  /** Deletes all sessions. */
  async forgetAll(): Promise<void> {
    await this.#forget(() => false)
  }

  /** Deletes what is older than a year. */
  async expire(): Promise<void> {
    const since = Date.now() - sessionsKeptMs
    await this.#ended.keep(({ until }) => until >= since)
  }

  /** Stores what is known; the process of the server may go on. */
  async close(): Promise<void> {
    await this.#job.close()
    await this.#save().catch((err: unknown) => this.#log.error({ err }, 'failed to store sessions of players'))
  }

  /** Deletes everything, also on disk. */
  async remove(): Promise<void> {
    await this.#job.close()
    this.#players = nobody
    this.#unwritten = []
    await this.#ended.remove()
    await rm(this.#onlinePath, { force: true })
  }

  async #forget(isKept: (session: Pick<PlayerName, 'name'>) => boolean): Promise<void> {
    const { open, left } = this.#players
    this.#players = { open: open.filter(isKept), left }
    this.#unwritten = this.#unwritten.filter(isKept)
    this.#isSaved = false
    // A write that has begun ends before the others are deleted.
    await this.#save()
    await this.#ended.keep(isKept)
  }

  #report(report: PlayerReport): void {
    const before = this.#players
    const { players, ended } = mergePlayers(before, report)
    this.#players = players
    this.#unwritten.push(...ended.slice(0, maxUnwritten - this.#unwritten.length))
    if (ended.length === 0 && players.open.length === before.open.length) return
    this.#isSaved = false
    this.#job.wake()
  }

  async #write(): Promise<void> {
    const { open } = this.#players
    const run = this.#run
    // Without a change only the time until which players are known to be online is stored.
    if (this.#isSaved && (open.length === 0 || this.#knownUntil !== undefined)) return
    const ended = this.#unwritten
    this.#unwritten = []
    this.#isSaved = true
    await this.#ended.append(ended)
    if (open.length === 0 || run === undefined) {
      await rm(this.#onlinePath, { force: true })
      return
    }
    const online: z.infer<typeof Online> = { run, at: this.#knownUntil ?? Date.now(), open: [...open] }
    await mkdir(dirname(this.#onlinePath), { recursive: true, mode: 0o700 })
    await writeFileAtomic(this.#onlinePath, JSON.stringify(online), { fsync: false })
  }

  #load(): void {
    const { data } = Online.safeParse(parseJsonOrUndefined(readTextIfExistsSync(this.#onlinePath) ?? ''))
    if (!data) return
    this.#players = { open: data.open, left: [] }
    this.#run = data.run
    this.#knownUntil = data.at
  }
}

function toPlayer(name: string, id?: string): PlayerName | undefined {
  const text = toText(name)
  return text === undefined ? undefined : { name: text, id: toText(id) }
}

/** On one line, and of limited length. */
const toText = (text = ''): string | undefined => displayedText(text, maxNameChars) || undefined
