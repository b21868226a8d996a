import type { Definition } from '@innkeeper/contract/definitions/definition'
import { getText, type Variables } from '@innkeeper/contract/definitions/variables'
import { convertEgg } from '@innkeeper/contract/eggs/convert-egg'
import { getBindings } from '@innkeeper/contract/eggs/images'
import { withoutCarriageReturns } from '@innkeeper/contract/eggs/placeholders'
import { bracketed } from '@innkeeper/contract/text/address'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import { numberIn, portIn, textIn } from '../rows.ts'
import type { StoredEgg } from './eggs.ts'

export interface ServerValues {
  readonly address: { readonly ip: string; readonly port: number }
  /** Further allocations. */
  readonly others: readonly ForeignRow[]
  /** Values of the variables of the egg. */
  readonly values: ReadonlyMap<string, string>
}

/** The template of the egg, with start command, image, values, ports and limits of the server. */
export function getDefinition(row: ForeignRow, egg: StoredEgg, { address, others, values }: ServerValues): Definition {
  const { name: _name, readme: _readme, ...template } = convertEgg(egg.json).template
  const given: Readonly<Record<string, string | number>> = {
    ...Object.fromEntries(values),
    ...address,
    memory: numberIn(row, 'memory') ?? 0,
  }
  const filled = Object.entries(template.data).map(([variable, definition]) => [
    variable,
    Object.hasOwn(given, variable) ? { ...definition, value: given[variable] ?? '' } : definition,
  ])
  const data = Object.fromEntries(filled) as Variables
  const { image, imageData } = parseImage(textIn(row, 'image') ?? '', template, data)
  const { command, startData } = parseStart(textIn(row, 'startup') ?? '', template, data)
  const { startup: _startup, ...otherData }: Variables = data
  const threads = textIn(row, 'threads')
  const environment = {
    ...template.environment,
    type: template.environment?.type ?? 'docker',
    image,
    portBindings: getPortBindings(address, others, data),
    ...(threads ? { resources: { CpusetCpus: threads } } : {}),
    limits: {
      ...template.environment?.limits,
      cpu: numberIn(row, 'cpu') || undefined,
      disk: numberIn(row, 'disk') || undefined,
    },
  }
  return {
    ...template,
    data: { ...otherData, ...imageData, ...startData },
    environment: environment as Definition['environment'],
    supportedEnvironments: [environment] as Definition['supportedEnvironments'],
    run: {
      ...template.run,
      command,
      environmentVars: {
        ...template.run.environmentVars,
        // Plugins keep data under the UUID of the server.
        P_SERVER_UUID: textIn(row, 'uuid') ?? '',
        P_SERVER_ALLOCATION_LIMIT: String(numberIn(row, 'allocation_limit') ?? 0),
      },
    },
  }
}

/** The image of a server. One that is not in the list of its egg was set by an administrator, and users keep it. */
function parseImage(
  text: string,
  { environment }: Definition,
  { image: variable }: Variables,
): { readonly image: unknown; readonly imageData: Variables } {
  const image = text.trim().replace(/^~/, '').trim()
  if (environment?.image !== '${image}' || variable === undefined)
    return { image: image || environment?.image, imageData: {} }
  const options = variable.options ?? []
  if (image === '') return { image: environment.image, imageData: {} }
  const isListed = options.some(({ value }) => getText(value) === image)
  const own = isListed ? {} : { options: [{ value: image, display: image }, ...options], userEdit: false }
  return { image: environment.image, imageData: { image: { ...variable, value: image, ...own } } }
}

/** The start command of a server: one of its egg by name, or its own. */
function parseStart(
  text: string,
  { run }: Definition,
  { startup: variable }: Variables,
): { readonly command: Definition['run']['command']; readonly startData: Variables } {
  const own = withoutCarriageReturns(text).trim()
  if (!Array.isArray(run.command))
    return { command: own || run.command, startData: variable ? { startup: variable } : {} }
  // The first command of an egg has no condition, and is the default of its variable.
  const at = run.command.findIndex(({ command }) => command === own)
  if (own !== '' && at < 0) return { command: own, startData: {} }
  const names = (variable?.options ?? []).map(({ value }) => value)
  const chosen = at < 0 || at === run.command.length - 1 ? names[0] : names[at + 1]
  return { command: run.command, startData: variable ? { startup: { ...variable, value: chosen ?? null } } : {} }
}

/**
 * Only allocations are published. One that is the value of a port variable follows the variable, so that a changed
 * value is published.
 */
function getPortBindings(
  { ip, port }: ServerValues['address'],
  others: readonly ForeignRow[],
  data: Variables,
): readonly string[] {
  const further = others.flatMap((row) => {
    const allocation = { ip: textIn(row, 'ip') ?? '0.0.0.0', port: portIn(row, 'port', 0) }
    const isSame = allocation.ip === ip && allocation.port === port
    return allocation.port === 0 || isSame ? [] : [allocation]
  })
  const bindings = further.flatMap((allocation) => {
    const variable = Object.keys(data).find(
      (name) => name !== 'port' && /port$/i.test(name) && getText(data[name]?.value) === String(allocation.port),
    )
    if (variable !== undefined && allocation.ip === ip) return getBindings(variable)
    const host = bracketed(allocation.ip)
    return ['tcp', 'udp'].map((protocol) => `${host}:${allocation.port}:${allocation.port}/${protocol}`)
  })
  return [...new Set([...getBindings('port'), ...bindings])]
}
