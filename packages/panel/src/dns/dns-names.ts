import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type DnsName, type dnsStates, proposeLabel, type ServerDnsName } from '@innkeeper/contract/servers/dns-names'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Server } from '../access/principal.ts'
import { affectsRows, lock } from '../database/rows.ts'
import type { DnsNameRow } from '../database/schema.ts'
import type { SettingsService } from '../settings/settings.ts'
import { type DnsJobDeps, dnsJob, findNamedServer, parseRecords } from './dns-job.ts'
import { findProvider } from './find-provider.ts'
import { dnsTimeoutMs } from './provider.ts'
import { wantedRecords } from './wanted-records.ts'

export type DnsNamesService = ReturnType<typeof dnsNamesService>

/**
 * DNS names of servers. A name is a row with the records that the panel has written. A job compares them with what they
 * should be, also after a move or a change of the port, and with what the name server has.
 */
export function dnsNamesService(deps: DnsJobDeps) {
  const { db, settings } = deps

  const findRow = (serverId: string, on = db) =>
    on.selectFrom('dns_names').selectAll().where('server_id', '=', serverId).executeTakeFirst()

  const job = dnsJob(deps)

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
        if (holder !== null && holder !== server.id && (await findNamedServer(transaction, holder)))
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

function findZone(values: Awaited<ReturnType<SettingsService['current']>>): string | undefined {
  const zone = values['panel.dns.zone']
  return values['panel.dns.provider'] === 'none' || zone === '' ? undefined : zone
}

function toView({ label, state, written, found, error, checked_at }: DnsNameRow, zone: string): DnsName {
  const toRecords = (json: string | null) =>
    parseRecords(json)
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
