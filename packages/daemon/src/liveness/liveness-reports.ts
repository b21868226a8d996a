import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { LivenessReport, type LivenessReportSummary } from '@innkeeper/contract/servers/liveness-reports'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { ifExists, readTextIfExists } from '../fs/if-exists.ts'

/** At least as many as a server may be restarted in an hour, see `restart.ts`. */
export const keptReports = 5

/** Reports about one server that did not respond: `<id>.json` in a folder, the last few. */
export class LivenessReports {
  readonly #dir: string
  /** The latest report, while it could not be written. */
  #unsaved: LivenessReport | undefined

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Newest first. */
  async list(): Promise<LivenessReportSummary[]> {
    const reports = await Promise.all((await this.#ids()).map((id) => this.#read(id)))
    return [this.#unsaved, ...reports].flatMap((report) => {
      if (!report) return []
      const { id, at, since, reason, action } = report
      return [{ id, at, since, reason, action }]
    })
  }

  /** Throws ErrNotFound. */
  async get(id: string): Promise<LivenessReport> {
    const report = this.#unsaved?.id === id ? this.#unsaved : await this.#read(id)
    if (!report) throw new Refusal('ErrNotFound')
    return report
  }

  /** Stores a report and deletes the oldest ones. One that cannot be written is kept in memory, until the next one. */
  async add(report: LivenessReport): Promise<void> {
    this.#unsaved = report
    await withLock([this], async () => {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      await writeFileAtomic(this.#getPath(report.id), JSON.stringify(report))
      this.#unsaved = undefined
      for (const id of (await this.#ids()).slice(keptReports)) await rm(this.#getPath(id), { force: true })
    })
  }

  async remove(): Promise<void> {
    await withLock([this], () => rm(this.#dir, { recursive: true, force: true }))
  }

  /** Newest first. */
  async #ids(): Promise<string[]> {
    const names = (await ifExists(readdir(this.#dir))) ?? []
    const ids = names.flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    return ids.sort((a, b) => Number(b) - Number(a))
  }

  async #read(id: string): Promise<LivenessReport | undefined> {
    const text = await readTextIfExists(this.#getPath(id))
    return text === undefined ? undefined : safeParseJson(LivenessReport, text).data
  }

  #getPath(id: string): string {
    return join(this.#dir, `${id}.json`)
  }
}
