import { isIP, isIPv4 } from 'node:net'
import { findSrv } from '@innkeeper/contract/definitions/srv'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import type { Database } from '../database/schema.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { TemplatesService } from '../templates/templates.ts'
import type { RecordSet } from './provider.ts'
import { resolveAddresses } from './resolve-addresses.ts'

interface Deps {
  readonly db: Database
  readonly settings: Pick<SettingsService, 'masterUrl'>
  readonly templates: Pick<TemplatesService, 'get'>
}

/** What the records of a server are made of. */
export interface NamedServer {
  readonly node_id: number
  readonly ip: string
  readonly port: number
  readonly template: string | null
}

const anywhere = ['', '0.0.0.0', '::']

/**
 * The records that a server should have: the addresses of its node, or its own, and where clients of its game look for
 * the port. Also sets without values, which must not be there.
 * @throws ErrNoNodeAddress
 */
export async function wantedRecords(deps: Deps, server: NamedServer, name: string): Promise<RecordSet[]> {
  const own = isIP(server.ip) !== 0 && !anywhere.includes(server.ip)
  const host = own ? server.ip : await publicHost(deps, server.node_id)
  const addresses = await resolveAddresses(host)
  if (addresses.length === 0) throw new Refusal('ErrNoNodeAddress', { host })
  const srv = await readSrv(deps, server.template)
  return [
    { name, type: 'A', values: addresses.filter(isIPv4) },
    { name, type: 'AAAA', values: addresses.filter((address) => !isIPv4(address)) },
    ...(srv && server.port > 0
      ? [
          {
            name: `_${srv.service}._${srv.protocol}.${name}`,
            type: 'SRV' as const,
            values: [`0 5 ${server.port} ${name}`],
          },
        ]
      : []),
  ]
}

async function publicHost({ db, settings }: Deps, nodeId: number): Promise<string> {
  if (nodeId === localNodeId) {
    const url = await settings.masterUrl()
    return url === undefined ? '' : new URL(url).hostname.replace(/^\[|\]$/g, '')
  }
  const row = await db.selectFrom('nodes').select('public_host').where('id', '=', nodeId).executeTakeFirst()
  return row?.public_host ?? ''
}

async function readSrv({ templates }: Deps, name: string | null) {
  if (name === null) return undefined
  try {
    return findSrv((await templates.get(name)).template)
  } catch (error) {
    // It was deleted.
    if (error instanceof Refusal && error.code === 'ErrNoTemplate') return undefined
    throw error
  }
}
