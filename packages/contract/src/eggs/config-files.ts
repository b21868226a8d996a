import { z } from 'zod/mini'
import type { ConfigFileFormat, Step, StepFields } from '../definitions/operations.ts'
import { configValue } from './placeholders.ts'

const maxFiles = 100
const maxKeys = 500

const Value = z.nullable(z.union([z.string(), z.number(), z.boolean()]))
type Value = z.output<typeof Value>
/** `find` maps a key to its value, or to values by their previous value. */
const ConfigFile = z.looseObject({
  parser: z.string(),
  find: z.nullish(z.record(z.string(), z.unknown())),
  /** In newer eggs, whether a missing file is created. */
  create_file: z.optional(z.unknown()),
})

const formats: Readonly<Record<string, ConfigFileFormat>> = {
  properties: 'properties',
  ini: 'ini',
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'toml',
  xml: 'xml',
  file: 'file',
}

type ConfigChange = StepFields<'editconfig'>['changes'][number]

/**
 * Converts the configuration files of an egg, which the other panel changes before each start, to steps before the
 * start.
 */
export function getFiles(files: unknown, drop: (where: string) => void): Step[] {
  const known = z.record(z.string(), z.unknown()).safeParse(files ?? {})
  if (!known.success) return []
  const all = Object.entries(known.data)
  for (const [path] of all.slice(maxFiles)) drop(`config.files.${path}`)
  return all.slice(0, maxFiles).flatMap(([path, raw]): Step[] => {
    const where = `config.files.${path}`
    const file = ConfigFile.safeParse(raw).data
    const format = file && Object.hasOwn(formats, file.parser) ? formats[file.parser] : undefined
    if (!file || !format || !isSafePath(path)) {
      drop(where)
      return []
    }
    const changes = getChanges(file.find ?? {}, format, (key) => drop(`${where}.${key}`))
    if (changes.length === 0) return []
    // The names of files may contain variables.
    const name = configValue(path.replace(/^\/+/, ''))
    if (name === undefined) {
      drop(where)
      return []
    }
    const condition = file.create_file === false && !/["\\]/.test(name) ? { if: ifExists(name) } : {}
    return [{ type: 'editconfig', ...condition, file: name, format, changes }]
  })
}

/** The condition that a file exists, whose name may contain references to variables. */
function ifExists(name: string): string {
  const parts = name.split(/\$\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? `"${part}"` : part))
  return `file_exists(${parts.filter((part) => part !== '""').join(' + ')})`
}

function getChanges(
  find: Readonly<Record<string, unknown>>,
  format: ConfigFileFormat,
  drop: (key: string) => void,
): ConfigChange[] {
  const all = Object.entries(find)
  for (const [key] of all.slice(maxKeys)) drop(key)
  return all.slice(0, maxKeys).flatMap(([key, found]) => {
    const isConditional = typeof found === 'object' && found !== null && !Array.isArray(found)
    const alternatives: [when: string, value: unknown][] = isConditional ? Object.entries(found) : [['', found]]
    return alternatives.slice(0, maxKeys).flatMap(([when, raw]) => {
      const change = findChange(key, when, raw, format)
      if (!change) drop(when === '' ? key : `${key}.${when}`)
      return change ? [change] : []
    })
  })
}

function findChange(key: string, when: string, raw: unknown, format: ConfigFileFormat): ConfigChange | undefined {
  const value = convertValue(raw)
  if (value === undefined || key === '' || key.length > 900 || when.length > 1_000) return undefined
  const condition = when === '' ? {} : { when }
  // A value such as `[port='1']` sets an attribute.
  const attribute = format === 'xml' && typeof value === 'string' ? /^\[(\w{1,90})='(.*)'\]$/s.exec(value) : undefined
  if (attribute) return { path: `${key}.@${attribute[1]}`, value: attribute[2] ?? '', ...condition }
  return { path: key, value, ...condition }
}

/** Undefined when the value refers to something that does not exist here. */
function convertValue(raw: unknown): Value | undefined {
  const value = Value.safeParse(raw)
  if (!value.success) return undefined
  return typeof value.data === 'string' ? configValue(value.data) : value.data
}

/** A path below the folder of the server. */
function isSafePath(path: string): boolean {
  return path.length <= 500 && !/[\0\r\n]|\$\{|(?:^|\/)\.\.(?:\/|$)|[/\\]$|^$/.test(path)
}
