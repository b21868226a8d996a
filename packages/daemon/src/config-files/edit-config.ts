import type { ConfigFileFormat } from '@innkeeper/contract/definitions/operations'
import {
  applySplices,
  type ConfigChange,
  ConfigError,
  type ConfigFormat,
  type Entry,
  type Path,
  type Scalar,
  type TextStyle,
  wantedValue,
} from './config-format.ts'
import { iniFormat } from './ini.ts'
import { jsonFormat } from './json.ts'
import { editLines } from './lines.ts'
import { propertiesFormat } from './properties.ts'
import { tomlFormat } from './toml.ts'
import { xmlFormat } from './xml.ts'
import { yamlFormat } from './yaml.ts'

export interface ConfigEdit {
  readonly text: string
  /** Changes that were not possible. */
  readonly problems: readonly { readonly path: string; readonly reason: string }[]
}

/**
 * Makes changes in the text of a configuration file and keeps everything else: comments, order, line ends and spaces.
 * Each change is verified by parsing the text again. Throws when the text is not valid.
 */
export function editConfig(
  format: ConfigFileFormat,
  text: string,
  changes: readonly ConfigChange[],
  isUnicode = true,
): ConfigEdit {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(bom.length)
  const edit = editText(format, body, changes, isUnicode)
  return { ...edit, text: edit.text === body ? text : bom + edit.text }
}

function editText(format: ConfigFileFormat, text: string, changes: readonly ConfigChange[], isUnicode: boolean) {
  const style: TextStyle = {
    lineEnd: /\r\n/.test(text) ? '\r\n' : '\n',
    isAscii: !isUnicode || !/[^\x00-\x7f]/.test(text),
  }
  switch (format) {
    case 'file':
      return { text: editLines(text, changes), problems: [] }
    case 'properties':
      return edit(propertiesFormat, text, changes, style)
    case 'ini':
      return edit(iniFormat, text, changes, style)
    case 'json':
      // JSON and YAML parsers replace what is not valid Unicode.
      return edit(jsonFormat, text, changes, { ...style, isAscii: !isUnicode })
    case 'yaml':
      return edit(yamlFormat, text, changes, { ...style, isAscii: !isUnicode })
    case 'toml':
      return edit(tomlFormat, text, changes, { ...style, isAscii: !isUnicode })
    case 'xml':
      return edit(xmlFormat, text, changes, { ...style, isAscii: !isUnicode })
  }
}

function edit<T>(format: ConfigFormat<T>, before: string, changes: readonly ConfigChange[], style: TextStyle) {
  const problems: { path: string; reason: string }[] = []
  let text = before
  let [parsed, entries] = read(format, text)
  const isPossible = (path: string, action: () => void) => {
    try {
      action()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push({ path, reason: error.message })
    }
  }
  for (const change of changes) {
    isPossible(change.path, () => {
      for (const path of format.find(parsed, change.path)) {
        isPossible(change.path, () => {
          const current = valueAt(entries, path)
          const wanted = wantedValue(change, current)
          if (wanted === undefined) return
          const value = format.valueToWrite(wanted, current)
          if (value === current) return
          const changed = applySplices(text, format.splices(parsed, path, value, style))
          const [parsedAgain, entriesAfter] = readAgain(format, changed)
          if (!isOnlyChange(entries, entriesAfter, path, value)) {
            throw new ConfigError('changing it would change something else in this file')
          }
          text = changed
          parsed = parsedAgain
          entries = entriesAfter
        })
      }
    })
  }
  return { text, problems }
}

function read<T>(format: ConfigFormat<T>, text: string): [T, Entry[]] {
  try {
    const parsed = format.parse(text)
    return [parsed, format.entries(parsed)]
  } catch (cause) {
    // The parsers call themselves for each level.
    if (cause instanceof RangeError) throw new ConfigError('it has too many levels', { cause })
    throw cause
  }
}

function readAgain<T>(format: ConfigFormat<T>, text: string): [T, Entry[]] {
  try {
    return read(format, text)
  } catch (cause) {
    throw new ConfigError('the file would not be valid any more', { cause })
  }
}

/** Of a name that is there twice, programs use the last one. */
function valueAt(entries: readonly Entry[], path: Path): Entry['value'] | undefined {
  return entries.findLast((entry) => isSamePath(entry.path, path))?.value
}

/** Whether two states of a file differ in one value only. */
function isOnlyChange(before: readonly Entry[], after: readonly Entry[], path: Path, value: Scalar): boolean {
  if (!Object.is(valueAt(after, path), value)) return false
  const others = (entries: readonly Entry[]) => entries.filter((entry) => !isPrefix(entry.path, path))
  const [kept, now] = [others(before), others(after)]
  return (
    kept.length === now.length &&
    kept.every((entry, at) => isSamePath(entry.path, now[at]?.path ?? []) && Object.is(entry.value, now[at]?.value))
  )
}

function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.length <= path.length && prefix.every((name, at) => name === path[at])
}

function isSamePath(a: Path, b: Path): boolean {
  return a.length === b.length && isPrefix(a, b)
}
