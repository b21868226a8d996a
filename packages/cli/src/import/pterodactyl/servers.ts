import { join } from 'node:path'
import { isSafeKey } from '@innkeeper/contract/text/names'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedServer } from '@innkeeper/panel/import/import-plan'
import { z } from 'zod'
import { flagIn, groupBy, portIn, textIn } from '../rows.ts'
import { getServerId } from '../source-files.ts'
import { getPermissions, ownerPermissions } from './access.ts'
import type { StoredEgg } from './eggs.ts'
import { getTasks } from './schedules.ts'
import { getDefinition } from './server-definition.ts'

export interface ServerRows {
  readonly servers: readonly ForeignRow[]
  readonly allocations: readonly ForeignRow[]
  readonly serverVariables: readonly ForeignRow[]
  readonly eggVariables: readonly ForeignRow[]
  readonly subusers: readonly ForeignRow[]
  readonly schedules: readonly ForeignRow[]
  readonly tasks: readonly ForeignRow[]
}

interface Context {
  readonly eggs: ReadonlyMap<string, StoredEgg>
  /** Keys of nodes on other machines. */
  readonly remoteNodes: ReadonlySet<string>
  /** Folder of the files of all servers. */
  readonly folder: string
  readonly timezone: string
}

/** Servers with a definition made from their egg and their own settings. */
export function getServers(rows: ServerRows, context: Context, notes: string[]): ImportedServer[] {
  const subusers = groupBy(rows.subusers, 'server_id')
  const schedules = groupBy(rows.schedules, 'server_id')
  const tasks = groupBy(rows.tasks, 'schedule_id')
  const allocations = groupBy(rows.allocations, 'server_id')
  const values = groupBy(rows.serverVariables, 'server_id')
  const names = new Map(rows.eggVariables.map((row) => [textIn(row, 'id') ?? '', textIn(row, 'env_variable') ?? '']))
  return rows.servers.flatMap((row): ImportedServer[] => {
    const id = textIn(row, 'id') ?? ''
    const name = textIn(row, 'name') ?? ''
    const note = (text: string) => notes.push(`server ${name}: ${text}`)
    const egg = context.eggs.get(textIn(row, 'egg_id') ?? '')
    const uuid = textIn(row, 'uuid') ?? ''
    if (!egg || !/^[0-9a-f-]{36}$/.test(uuid)) {
      note(egg ? 'its UUID is not valid' : 'its egg does not exist')
      return []
    }
    const all = allocations.get(id) ?? []
    const main = all.find((allocation) => textIn(allocation, 'id') === textIn(row, 'allocation_id'))
    if (!main) note('it has no address')
    const address = { ip: (main && textIn(main, 'ip')) || '0.0.0.0', port: main ? portIn(main, 'port', 0) : 0 }
    try {
      const own = new Map(
        (values.get(id) ?? []).map((variable) => [
          names.get(textIn(variable, 'variable_id') ?? '') ?? '',
          textIn(variable, 'variable_value') ?? '',
        ]),
      )
      const definition = getDefinition(row, egg, {
        address,
        others: all.filter((allocation) => allocation !== main),
        values: own,
      })
      const found = getTasks(schedules.get(id) ?? [], tasks, context.timezone, note)
      const node = textIn(row, 'node_id') ?? ''
      const isRemote = context.remoteNodes.has(node)
      const whole = { ...definition, ...(Object.keys(found).length > 0 ? { tasks: found } : {}) }
      return [
        {
          id: getServerId('pterodactyl', textIn(row, 'uuidShort') ?? textIn(row, 'uuid_short') ?? uuid),
          name,
          node: isRemote ? node : undefined,
          definition: isRemote ? undefined : whole,
          template: egg.template,
          type: definition.type,
          ...address,
          ...(isSuspended(row) && { suspended: 'It was suspended in the panel that it comes from.' }),
          users: getUsers(row, subusers.get(id) ?? [], note),
          files: isRemote ? undefined : join(context.folder, uuid),
        },
      ]
    } catch (error) {
      note(error instanceof Error ? error.message : String(error))
      return []
    }
  })
}

/** Older versions have a flag of its own. */
function isSuspended(row: ForeignRow): boolean {
  return textIn(row, 'status') === 'suspended' || flagIn(row, 'suspended')
}

function getUsers(
  row: ForeignRow,
  subusers: readonly ForeignRow[],
  note: (text: string) => void,
): ImportedServer['users'] {
  const owner = { key: textIn(row, 'owner_id') ?? '', permissions: ownerPermissions }
  const others = subusers.map((subuser) => {
    const key = textIn(subuser, 'user_id') ?? ''
    const { permissions, lost } = getPermissions(textIn(subuser, 'permissions') ?? '[]')
    if (lost.length > 0) note(`permissions of user #${key} without a counterpart: ${lost.join(', ')}`)
    return { key, permissions }
  })
  return [owner, ...others.filter(({ key }) => key !== owner.key)]
}

const Labels = z.record(z.string().max(1_000).refine(isSafeKey), z.coerce.string().max(10_000))

/** Adds the container labels that Pelican has for a server. */
export function withLabels(
  servers: readonly ImportedServer[],
  rows: readonly ForeignRow[],
  notes: string[],
): ImportedServer[] {
  const labels = new Map<string, z.output<typeof Labels>>()
  for (const row of rows) {
    const text = textIn(row, 'docker_labels')
    if (!text || text === '[]') continue
    const { data } = Labels.safeParse(parseJsonOrUndefined(text))
    if (data) labels.set(getServerId('pterodactyl', textIn(row, 'uuid_short') ?? ''), data)
    else notes.push(`server ${textIn(row, 'name')}: its container labels cannot be read`)
  }
  return servers.map((server) => {
    const [own, { definition }] = [labels.get(server.id), server]
    if (!own || !definition) return server
    const environment = { ...(definition.environment as object), labels: own }
    return { ...server, definition: { ...definition, environment, supportedEnvironments: [environment] } }
  })
}
