import { z } from 'zod/mini'
import type { Step } from '../operations.ts'
import { configValue } from './placeholders.ts'

const maxFiles = 100
const maxKeys = 500

const Value = z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String))
/** `find` maps a key to its value, or to values by their previous value. */
const ConfigFile = z.looseObject({
  parser: z.string(),
  find: z.nullish(z.record(z.string(), z.union([Value, z.record(z.string(), Value)]))),
})

/**
 * Converts the configuration files of an egg, which the other panel changes before each start, to steps before the
 * start: those of lines and of properties. A properties file that does not exist is created.
 */
export function filesOf(files: unknown, drop: (where: string) => void): Step[] {
  const known = z.record(z.string(), z.unknown()).safeParse(files ?? {})
  if (!known.success) return []
  return Object.entries(known.data)
    .slice(0, maxFiles)
    .flatMap(([path, raw]) => {
      const where = `config.files.${path}`
      const file = ConfigFile.safeParse(raw).data
      const isSupported = file !== undefined && ['file', 'properties'].includes(file.parser) && isSafePath(path)
      if (!isSupported) {
        drop(where)
        return []
      }
      const isProperties = file.parser === 'properties'
      const lines = linesOf(file.find ?? {}, { where, isProperties }, drop)
      const exists = `file_exists("${path}")`
      const changes = lines.map(
        ({ search, replace }): Step => ({ type: 'alterfile', if: exists, file: path, search, replace }),
      )
      if (!isProperties || lines.length === 0) return changes
      const text = `${lines.map(({ replace }) => replace).join('\n')}\n`
      return [...changes, { type: 'writefile', if: `!${exists}`, target: path, text }]
    })
}

interface Line {
  /** A pattern for the whole line. */
  readonly search: string
  readonly replace: string
}

function linesOf(
  find: Readonly<Record<string, string | Readonly<Record<string, string>>>>,
  { where, isProperties }: { readonly where: string; readonly isProperties: boolean },
  drop: (where: string) => void,
): Line[] {
  return Object.entries(find)
    .slice(0, maxKeys)
    .flatMap(([key, value]) => {
      const text = typeof value === 'string' ? configValue(value) : undefined
      if (text === undefined || /[\r\n]/.test(key)) {
        drop(`${where}.${key}`)
        return []
      }
      const escaped = key.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      // A line file has the key at the beginning of the line, and its value is the whole line.
      return isProperties
        ? [{ search: `^${escaped}[ \\t]*[=:].*$`, replace: `${key}=${text}` }]
        : [{ search: `^${escaped}.*$`, replace: text }]
    })
}

/** A relative path that needs no quoting in a condition. */
const isSafePath = (path: string): boolean => /^[\w\-. /]{1,500}$/.test(path) && !path.startsWith('/')
