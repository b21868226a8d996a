import { isDeepStrictEqual } from 'node:util'
import { Definition, getEnvironment, LimitSettings } from '@innkeeper/contract/definitions/definition'
import { type ManifestServer, runFlags } from './schema.ts'
import { isRecord } from './secrets.ts'

type Values = Readonly<Record<string, unknown>>

/** Fields of a definition that are fields of their own in the file, or not part of it. */
const ownFields = new Set(['id', 'name', 'node', 'readme', 'users', 'template', 'tasks', 'environment', 'data', 'run'])
const limitNames = ['memory', 'cpu', 'processes', 'disk'] as const

/** A field of `definition` in the file that cannot be there, with the reason; `undefined` when there is none. */
export function misplacedField(
  patch: Values,
): { readonly path: readonly string[]; readonly message: string } | undefined {
  const top = Object.keys(patch).find((key) => ownFields.has(key) && key !== 'data' && key !== 'run')
  if (top !== undefined) return { path: [top], message: `'${top}' cannot be changed in the definition.` }
  const flag = runFlags.find((name) => isRecord(patch.run) && Object.hasOwn(patch.run, name))
  if (flag !== undefined) return { path: ['run', flag], message: `'${flag}' is a field of the server.` }
  const data = isRecord(patch.data) ? patch.data : {}
  const variable = Object.keys(data).find((name) => isRecord(data[name]) && Object.hasOwn(data[name], 'value'))
  return variable === undefined
    ? undefined
    : { path: ['data', variable, 'value'], message: `Values are in 'variables', not in the definition.` }
}

/** A definition as JSON, with all parts in the same form. */
export function normalized(definition: unknown): Definition {
  return JSON.parse(JSON.stringify(Definition.parse(JSON.parse(JSON.stringify(definition))))) as Definition
}

/** The parts of a server's definition that differ from its template; `null` for what it does not have. */
export function definitionPatch(template: Definition | undefined, definition: Definition): Values | undefined {
  const base: Values = template ? normalized(template) : {}
  const actual: Values = normalized(definition)
  const top = differing(without(base, ownFields), without(actual, ownFields))
  const flags = new Set<string>(runFlags)
  const run = differing(without(record(base.run), flags), without(record(actual.run), flags))
  const data = differing(withoutValues(record(base.data)), withoutValues(record(actual.data)))
  const patch = { ...top, ...(data && { data }), ...(run && { run }) }
  return Object.keys(patch).length === 0 ? undefined : sorted(patch)
}

/** The fields of the file for what a definition says. Values of variables are not among them. */
export function getSettings({ environment, run }: Definition): ManifestServer {
  const { limits, ...rest } = environment ?? { type: '' }
  const set = getLimits(limits)
  const flags = runFlags.flatMap((name) => (typeof run[name] === 'boolean' ? [[name, run[name]] as const] : []))
  return {
    ...(environment ? { environment: JSON.parse(JSON.stringify(rest)) as Record<string, unknown> } : {}),
    ...(Object.keys(set).length > 0 ? { limits: set } : {}),
    ...Object.fromEntries(flags),
  }
}

/** The definition after the fields of the file; values of variables are not changed. */
export function withSettings(definition: Values, entry: ManifestServer): Record<string, unknown> {
  const { environment, limits, definition: patch = {} } = entry
  const flags = runFlags.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]] as const]))
  const { data, run, ...top } = patch
  const patched: Record<string, unknown> = {
    ...merged(definition, top),
    data: withData(record(definition.data), record(data)),
    run: { ...merged(record(definition.run), record(run)), ...Object.fromEntries(flags) },
  }
  if (environment === undefined && limits === undefined) return patched
  const { limits: current, ...known } = getEnvironment(Definition.parse(definition))
  const newLimits = limits ?? current
  return { ...patched, environment: { ...(environment ?? known), ...(newLimits ? { limits: newLimits } : {}) } }
}

function getLimits(limits: LimitSettings | null | undefined): NonNullable<ManifestServer['limits']> {
  const read = LimitSettings.parse(limits ?? {})
  return Object.fromEntries(limitNames.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]])))
}

/** Variables after a change of their descriptions; their values stay. */
function withData(data: Values, changes: Values): Record<string, unknown> {
  const names = [...new Set([...Object.keys(data), ...Object.keys(changes)])]
  const after = names.flatMap((name) => {
    if (!Object.hasOwn(changes, name)) return [[name, data[name]] as const]
    if (changes[name] === null) return []
    const { value } = record(data[name])
    return [[name, { ...record(changes[name]), ...(value === undefined ? {} : { value }) }] as const]
  })
  return Object.fromEntries(after)
}

/** Replaces keys; `null` removes one. */
function merged(values: Values, changes: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...values, ...changes }).filter(([, value]) => value !== null))
}

function differing(base: Values, actual: Values): Record<string, unknown> | undefined {
  const names = [...new Set([...Object.keys(base), ...Object.keys(actual)])].toSorted()
  const changes = names.flatMap((name) => {
    const [before, after] = [filledValue(base, name), filledValue(actual, name)]
    return isDeepStrictEqual(before, after) ? [] : [[name, after ?? null] as const]
  })
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

/** Missing, null and empty lists are equal. */
function filledValue(values: Values, name: string): unknown {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value === null || (Array.isArray(value) && value.length === 0) ? undefined : value
}

const withoutValues = (data: Values): Values =>
  Object.fromEntries(
    Object.entries(data).map(([name, variable]) => [name, without(record(variable), new Set(['value']))]),
  )

const without = (values: Values, names: ReadonlySet<string>): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)))

const sorted = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const record = (value: unknown): Values => (isRecord(value) ? value : {})
