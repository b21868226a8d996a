import { join } from 'node:path'
import { bracketed } from '@innkeeper/contract/address'
import type { Definition } from '@innkeeper/contract/definition'
import { convertEgg } from '@innkeeper/contract/eggs/convert-egg'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedServer } from '@innkeeper/panel/import/import-plan'
import { flagIn, groupBy, numberIn, portIn, textIn } from '../rows.ts'
import { serverIdOf } from '../source-files.ts'
import { ownerPermissions, permissionsOf } from './access.ts'
import type { StoredEgg } from './eggs.ts'
import { tasksOf } from './schedules.ts'

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
export function serversOf(rows: ServerRows, context: Context, notes: string[]): ImportedServer[] {
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
      const definition = definitionOf(row, egg, {
        address,
        others: all.filter((allocation) => allocation !== main),
        values: own,
      })
      const found = tasksOf(schedules.get(id) ?? [], tasks, context.timezone, note)
      const node = textIn(row, 'node_id') ?? ''
      const isRemote = context.remoteNodes.has(node)
      const whole = { ...definition, ...(Object.keys(found).length > 0 ? { tasks: found } : {}) }
      return [
        {
          id: serverIdOf('pterodactyl', textIn(row, 'uuidShort') ?? textIn(row, 'uuid_short') ?? uuid),
          name,
          node: isRemote ? node : undefined,
          definition: isRemote ? undefined : whole,
          template: egg.template,
          type: definition.type,
          ...address,
          users: usersOf(row, subusers.get(id) ?? [], note),
          files: isRemote ? undefined : join(context.folder, uuid),
        },
      ]
    } catch (error) {
      note(error instanceof Error ? error.message : String(error))
      return []
    }
  })
}

interface ServerValues {
  readonly address: { readonly ip: string; readonly port: number }
  /** Further allocations. */
  readonly others: readonly ForeignRow[]
  readonly values: ReadonlyMap<string, string>
}

/** The template of the egg, with command, image, values and limits of the server. */
function definitionOf(row: ForeignRow, egg: StoredEgg, { address, others, values }: ServerValues): Definition {
  const image = textIn(row, 'image') ?? ''
  const json = {
    ...egg.json,
    ...(image === '' ? {} : { docker_images: { image } }),
    startup: textIn(row, 'startup') || egg.json.startup,
  }
  const { name: _name, readme: _readme, ...template } = convertEgg(json).template
  const memory = numberIn(row, 'memory') ?? 0
  const given: Readonly<Record<string, string | number>> = { ...Object.fromEntries(values), ...address, memory }
  const data = Object.entries(template.data).map(([variable, definition]) => [
    variable,
    Object.hasOwn(given, variable) ? { ...definition, value: given[variable] ?? '' } : definition,
  ])
  const ports = others.flatMap((allocation) => {
    const [ip, port] = [textIn(allocation, 'ip') ?? '0.0.0.0', portIn(allocation, 'port', 0)]
    return port === 0 ? [] : [`${bracketed(ip)}:${port}:${port}/tcp`, `${bracketed(ip)}:${port}:${port}/udp`]
  })
  const threads = textIn(row, 'threads')
  const environment = {
    ...template.environment,
    type: template.environment?.type ?? 'standard',
    ...(ports.length > 0 ? { portBindings: [...bindingsOf(template.environment), ...ports] } : {}),
    ...(threads ? { resources: { CpusetCpus: threads } } : {}),
    limits: {
      memory: memory || undefined,
      cpu: numberIn(row, 'cpu') || undefined,
      disk: numberIn(row, 'disk') || undefined,
    },
  }
  const isSuspended = textIn(row, 'status') === 'suspended' || flagIn(row, 'suspended')
  return {
    ...template,
    data: Object.fromEntries(data) as Definition['data'],
    environment: environment as Definition['environment'],
    supportedEnvironments: [environment] as Definition['supportedEnvironments'],
    run: { ...template.run, ...(isSuspended ? { disabled: true } : {}) },
  }
}

const bindingsOf = (environment: Definition['environment']): readonly unknown[] =>
  Array.isArray(environment?.portBindings) ? environment.portBindings : []

function usersOf(
  row: ForeignRow,
  subusers: readonly ForeignRow[],
  note: (text: string) => void,
): ImportedServer['users'] {
  const owner = { key: textIn(row, 'owner_id') ?? '', permissions: ownerPermissions }
  const others = subusers.map((subuser) => {
    const key = textIn(subuser, 'user_id') ?? ''
    const { permissions, lost } = permissionsOf(textIn(subuser, 'permissions') ?? '[]')
    if (lost.length > 0) note(`permissions of user #${key} without a counterpart: ${lost.join(', ')}`)
    return { key, permissions }
  })
  return [owner, ...others.filter(({ key }) => key !== owner.key)]
}
