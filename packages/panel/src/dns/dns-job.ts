import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import { affectsRows } from '../database/rows.ts'
import type { Database, DnsNameRow, RowChanges } from '../database/schema.ts'
import { LeasedQueue } from '../queue/leased-queue.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { TemplatesService } from '../templates/templates.ts'
import { findProvider } from './find-provider.ts'
import { type DnsProvider, type RecordSet, sameRecords } from './provider.ts'
import { type NamedServer, wantedRecords } from './wanted-records.ts'

/** Interval of looks for names on which something is due. */
const defaultPollMs = 15_000
/** How often the records of a name are compared with the address of its server, and read back. */
const defaultDueMs = 60_000
const defaultCheckMs = 10 * 60 * 1000
/** The pause after the first failed attempt; it doubles up to the maximum. */
const retryMs = 15_000
const maxRetryMs = 15 * 60 * 1000
/** The lease of a name: an update, and queries for its records. */
const leaseMs = 90_000
const namesPerRun = 20

/** Times in milliseconds. */
export interface DnsOptions {
  readonly pollMs?: number | undefined
  readonly dueMs?: number | undefined
  readonly checkMs?: number | undefined
}

export interface DnsJobDeps extends DnsOptions {
  readonly db: Database
  readonly settings: Pick<SettingsService, 'current' | 'masterUrl'>
  readonly templates: Pick<TemplatesService, 'get'>
  readonly log: Logger
  readonly now: () => number
}

interface LeasedName extends DnsNameRow {
  readonly lease: string
}

/**
 * Writes the records of names that are not what they should be, also after a move or a change of the port, reads them
 * back, and removes those of servers that are gone.
 */
export function dnsJob(deps: DnsJobDeps): PeriodicJob {
  const { db, settings, log, now } = deps
  const { pollMs = defaultPollMs, dueMs = defaultDueMs, checkMs = defaultCheckMs } = deps
  const queue = new LeasedQueue(db, 'dns_names')

  async function update(row: LeasedName, changes: RowChanges<'dns_names'>): Promise<void> {
    // Another panel has it now, or a user has changed it.
    const updating = queue.updateLeased(row.label, row.lease).set(changes as never)
    if (!(await affectsRows(updating))) throw new LeaseLost()
  }

  async function remove(row: LeasedName, zone: string, provider: DnsProvider, signal: AbortSignal): Promise<void> {
    const sets = parseRecords(row.written).filter(({ name }) => name.endsWith(`.${zone}`))
    if (sets.length > 0) await provider.replace(sets.map(toEmpty), signal)
    await db.deleteFrom('dns_names').where('label', '=', row.label).where('lease', '=', row.lease).execute()
  }

  async function work(row: LeasedName, signal: AbortSignal): Promise<void> {
    const found = findProvider(await settings.current())
    if (!found) return await update(row, { lease: '', next_at: now() + dueMs })
    const { zone, provider } = found
    const server = row.server_id === null ? undefined : await findNamedServer(db, row.server_id)
    if (!server) return await remove(row, zone, provider, signal)
    const wanted = await wantedRecords(deps, server, `${row.label}.${zone}`)
    const written = parseRecords(row.written)
    const mustWrite = row.state === 'waiting' || !sameRecords(wanted, written)
    if (mustWrite) {
      const former = written.filter(
        ({ name, type }) => name.endsWith(`.${zone}`) && !wanted.some((set) => set.name === name && set.type === type),
      )
      // Stored before, so that they can be removed if this panel ends.
      await update(row, { state: 'waiting', written: JSON.stringify([...wanted, ...former]) })
      await provider.replace([...former.map(toEmpty), ...wanted], signal)
    }
    const isDue = mustWrite || row.checked_at === null || now() - row.checked_at >= checkMs || row.error !== null
    const actual = isDue ? await provider.read(wanted, signal) : undefined
    const isSame = actual && sameRecords(actual, wanted)
    await update(row, {
      lease: '',
      next_at: now() + dueMs,
      attempts: 0,
      error: null,
      ...(mustWrite && { written: JSON.stringify(wanted) }),
      ...(actual && {
        state: isSame ? 'correct' : 'differs',
        found: isSame ? null : JSON.stringify(actual),
        checked_at: now(),
      }),
    })
  }

  async function attempt(row: LeasedName, signal: AbortSignal): Promise<void> {
    try {
      await work(row, signal)
    } catch (error) {
      if (error instanceof LeaseLost || signal.aborted) return
      log.warn({ err: error, name: row.label }, 'the records of a server could not be written or read; retrying')
      const refusal = error instanceof Refusal ? error : new Refusal('ErrUnknownError')
      const pause = Math.min(maxRetryMs, retryMs * 2 ** Math.min(row.attempts, 10))
      const failure = { error: JSON.stringify(toEnvelope(refusal).error), attempts: row.attempts + 1 }
      await queue
        .updateLeased(row.label, row.lease)
        .set({ ...failure, lease: '', next_at: now() + pause } as never)
        .execute()
    }
  }

  async function workOnDue(signal: AbortSignal): Promise<void> {
    const due = db.selectFrom('dns_names').selectAll().where('next_at', '<=', now()).orderBy('next_at')
    for (const row of await due.limit(namesPerRun).execute()) {
      if (signal.aborted) return
      const [leased] = await queue.acquire([row], ({ state }) => ({ state, next_at: now() + leaseMs }))
      if (leased) await attempt(leased, signal)
    }
  }

  return new PeriodicJob({
    everyMs: pollMs,
    run: workOnDue,
    onError: (err) => log.warn({ err }, 'DNS names of servers could not be read'),
  })
}

export async function findNamedServer(db: Database, id: string): Promise<NamedServer | undefined> {
  const servers = db.selectFrom('servers').select(['node_id', 'ip', 'port', 'template'])
  return await servers.where('id', '=', id).executeTakeFirst()
}

class LeaseLost extends Error {}

export const parseRecords = (json: string | null): RecordSet[] =>
  json === null ? [] : (JSON.parse(json) as RecordSet[])

const toEmpty = (set: RecordSet): RecordSet => ({ ...set, values: [] })
