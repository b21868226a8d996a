import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { type DnsName, type dnsStates, proposeLabel, type ServerDnsName } from '@innkeeper/contract/servers/dns-names'
import type { Logger } from 'pino'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Server } from '../access/principal.ts'
import { affectsRows, lock } from '../database/rows.ts'
import type { Database, DnsNameRow, RowChanges } from '../database/schema.ts'
import { LeasedQueue } from '../queue/leased-queue.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { TemplatesService } from '../templates/templates.ts'
import { findProvider } from './find-provider.ts'
import { type DnsProvider, dnsTimeoutMs, type RecordSet, sameRecords } from './provider.ts'
import { wantedRecords } from './wanted-records.ts'

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

interface Deps extends DnsOptions {
  readonly db: Database
  readonly settings: Pick<SettingsService, 'current' | 'masterUrl'>
  readonly templates: Pick<TemplatesService, 'get'>
  readonly log: Logger
  readonly now: () => number
}

interface LeasedName extends DnsNameRow {
  readonly lease: string
}

export type DnsNamesService = ReturnType<typeof dnsNamesService>

/**
 * DNS names of servers. A name is a row with the records that the panel has written. A job compares them with what they
 * should be, also after a move or a change of the port, and with what the name server has.
 */
export function dnsNamesService(deps: Deps) {
  const { db, settings, log, now } = deps
  const { pollMs = defaultPollMs, dueMs = defaultDueMs, checkMs = defaultCheckMs } = deps
  const queue = new LeasedQueue(db, 'dns_names')

  const findRow = (serverId: string, on = db) =>
    on.selectFrom('dns_names').selectAll().where('server_id', '=', serverId).executeTakeFirst()
  const findServer = (id: string, on = db) =>
    on.selectFrom('servers').select(['node_id', 'ip', 'port', 'template']).where('id', '=', id).executeTakeFirst()

  async function update(row: LeasedName, changes: RowChanges<'dns_names'>): Promise<void> {
    // Another panel has it now, or a user has changed it.
    const updating = queue.updateLeased(row.label, row.lease).set(changes as never)
    if (!(await affectsRows(updating))) throw new LeaseLost()
  }

  async function remove(row: LeasedName, zone: string, provider: DnsProvider, signal: AbortSignal): Promise<void> {
    const sets = parse(row.written).filter(({ name }) => name.endsWith(`.${zone}`))
    if (sets.length > 0) await provider.replace(sets.map(toEmpty), signal)
    await db.deleteFrom('dns_names').where('label', '=', row.label).where('lease', '=', row.lease).execute()
  }

  async function work(row: LeasedName, signal: AbortSignal): Promise<void> {
    const found = findProvider(await settings.current())
    if (!found) return await update(row, { lease: '', next_at: now() + dueMs })
    const { zone, provider } = found
    const server = row.server_id === null ? undefined : await findServer(row.server_id)
    if (!server) return await remove(row, zone, provider, signal)
    const wanted = await wantedRecords(deps, server, `${row.label}.${zone}`)
    const written = parse(row.written)
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

  const job = new PeriodicJob({
    everyMs: pollMs,
    run: workOnDue,
    onError: (err) => log.warn({ err }, 'DNS names of servers could not be read'),
  })

  async function view(server: Server): Promise<ServerDnsName> {
    const zone = findZone(await settings.current())
    const row = zone === undefined ? undefined : await findRow(server.id)
    return {
      ...(zone !== undefined && { zone }),
      name: zone !== undefined && row ? toView(row, zone) : null,
      proposal: proposeLabel(server.name),
    }
  }

  return {
    job,
    view,

    /** Throws ErrNoDnsZone, ErrDnsNameTaken, ErrNoNodeAddress, and ErrDnsFailed. */
    async put(server: Server, label: string, audit: AuditContext): Promise<ServerDnsName> {
      const found = findProvider(await settings.current())
      if (!found) throw new Refusal('ErrNoDnsZone')
      const name = `${label}.${found.zone}`
      audit.setSubject({ target: name })
      await wantedRecords(deps, { ...server, node_id: server.nodeId, template: null }, name)
      const known = await db.selectFrom('dns_names').select('label').where('label', '=', label).executeTakeFirst()
      // What others have written is never replaced. The name server is asked outside of the transaction.
      const isForeign = !known && (await found.provider.has(name, AbortSignal.timeout(dnsTimeoutMs)))
      if (isForeign) throw new Refusal('ErrDnsNameTaken', { name })
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'dns names')
        const names = transaction.selectFrom('dns_names').selectAll().where('label', '=', label)
        const row = await names.executeTakeFirst()
        if (!row && known) throw new Refusal('ErrStaleVersion')
        const holder = row?.server_id ?? null
        if (holder !== null && holder !== server.id && (await findServer(holder, transaction)))
          throw new Refusal('ErrDnsNameTaken', { name })
        const removing = { server_id: null, ...soon }
        await transaction
          .updateTable('dns_names')
          .set(removing)
          .where('server_id', '=', server.id)
          .where('label', '<>', label)
          .execute()
        const changes = { server_id: server.id, ...soon, found: null }
        if (row) await transaction.updateTable('dns_names').set(changes).where('label', '=', label).execute()
        else
          await transaction
            .insertInto('dns_names')
            .values({ label, written: null, checked_at: null, ...changes })
            .execute()
      })
      job.wake()
      return await view(server)
    },

    /** Throws ErrNotFound. */
    async write(server: Server, audit: AuditContext): Promise<ServerDnsName> {
      await auditedTransaction(audit, db, async (transaction) => {
        const names = transaction.updateTable('dns_names').set(soon).where('server_id', '=', server.id)
        if (!(await affectsRows(names))) throw new Refusal('ErrNotFound')
      })
      job.wake()
      return await view(server)
    },

    /** Throws ErrNotFound. */
    async remove(server: Server, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const row = await findRow(server.id, transaction)
        if (!row) throw new Refusal('ErrNotFound')
        audit.setSubject({ target: row.label })
        const names = transaction.updateTable('dns_names').set({ server_id: null, ...soon })
        await names.where('server_id', '=', server.id).execute()
      })
      job.wake()
    },
  }
}

/** Who had leased it notices. */
const soon = { state: 'waiting', next_at: 0, lease: '', attempts: 0, error: null } as const

class LeaseLost extends Error {}

const parse = (json: string | null): RecordSet[] => (json === null ? [] : (JSON.parse(json) as RecordSet[]))

const toEmpty = (set: RecordSet): RecordSet => ({ ...set, values: [] })

function findZone(values: Awaited<ReturnType<SettingsService['current']>>): string | undefined {
  const zone = values['panel.dns.zone']
  return values['panel.dns.provider'] === 'none' || zone === '' ? undefined : zone
}

function toView({ label, state, written, found, error, checked_at }: DnsNameRow, zone: string): DnsName {
  const toRecords = (json: string | null) =>
    parse(json)
      .filter(({ values }) => values.length > 0)
      .map(({ name, type, values }) => ({ name, type, values: [...values] }))
  return {
    label,
    name: `${label}.${zone}`,
    state: error === null ? (state as (typeof dnsStates)[number]) : 'failed',
    records: toRecords(written),
    ...(found !== null && { found: toRecords(found) }),
    ...(error !== null && { error: JSON.parse(error) }),
    ...(checked_at !== null && { checkedAt: new Date(checked_at).toISOString() }),
  }
}
