import { hasLineBreak } from '@innkeeper/contract/escape'
import { ConfigError, type ConfigFormat, type Path, type Splice, textOfScalar } from './config-format.ts'

interface IniValue {
  readonly section: string
  readonly key: string
  readonly value: string
  /** The value as it is written, with quotes and without a comment. */
  readonly start: number
  readonly end: number
  /** The sign between key and value with its blanks. */
  readonly separator: string
  readonly indent: string
  /** After the line, without its line end. */
  readonly lineEnd: number
}

interface Ini {
  readonly text: string
  readonly values: readonly IniValue[]
  /** Section names and the end of their headers, in the order of the file. */
  readonly sections: readonly { readonly name: string; readonly headerEnd: number }[]
}

/** INI files. A path is `key`, `section.key` or `[section.with.dots].key`. */
export const iniFormat: ConfigFormat<Ini> = {
  parse: parseIni,
  entries: ({ values }) => values.map(({ section, key, value }) => ({ path: [section, key], value })),
  find: (_, path) => [parseIniPath(path)],
  valueToWrite: (value) => textOfScalar(value).trim(),
  splices(ini, [section, key], value, { lineEnd }): Splice[] {
    const text = textOfScalar(value)
    if (hasLineBreak(text)) throw new ConfigError('the value must be one line')
    if (/[\x00-\x08\x0e-\x1f\x7f]/.test(text)) throw new ConfigError('the value has control characters')
    const known = ini.values.findLast((candidate) => candidate.section === section && candidate.key === key)
    if (known) {
      const isQuoted = ini.text[known.start] === '"' && known.end > known.start + 1
      return [{ start: known.start, end: known.end, text: written(text, isQuoted) }]
    }
    return [insertion(ini, { section: String(section), key: String(key), text: written(text, false) }, lineEnd)]
  },
}

/** Quotes a value that was quoted, or that would be read as another one. */
function written(text: string, isQuoted: boolean): string {
  const isWhole = readValue(text).value === text
  return !text.includes('"') && (isQuoted || !isWhole) ? `"${text}"` : text
}

function insertion(
  { text, values, sections }: Ini,
  { section, key, text: value }: { readonly section: string; readonly key: string; readonly text: string },
  lineEnd: string,
): Splice {
  if (/[\r\n\]]/.test(section)) throw new ConfigError('the section has no valid name')
  if (/^[;#[]|[\r\n=]/.test(key) || key === '') throw new ConfigError('the key has no valid name')
  // The first of several sections with this name: some programs read only that one.
  const at = sections.findIndex(({ name }) => name === section)
  const header = sections[at]
  const limit = sections[header ? at + 1 : 0]?.headerEnd ?? Number.POSITIVE_INFINITY
  const inSection = values.filter(({ section: name, start }) => name === section && start < limit)
  const last = inSection.at(-1)
  const line = `${last?.indent ?? ''}${key}${(last ?? values.at(-1))?.separator ?? '='}${value}`
  if (last) return { start: last.lineEnd, end: last.lineEnd, text: lineEnd + line }
  if (header) return { start: header.headerEnd, end: header.headerEnd, text: lineEnd + line }
  if (section === '') return { start: 0, end: 0, text: line + lineEnd }
  const gap = text === '' ? '' : /[\r\n]$/.test(text) ? lineEnd : lineEnd + lineEnd
  return { start: text.length, end: text.length, text: `${gap}[${section}]${lineEnd}${line}${lineEnd}` }
}

function parseIni(text: string): Ini {
  const values: IniValue[] = []
  const sections: { name: string; headerEnd: number }[] = []
  let section = ''
  for (const { line, start } of linesOf(text)) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith(';') || trimmed.startsWith('#')) continue
    if (trimmed.startsWith('[') && trimmed.includes(']')) {
      section = trimmed.slice(1, closingBracket(trimmed)).trim()
      sections.push({ name: section, headerEnd: start + line.length })
      continue
    }
    const sign = line.search(/[=:]/)
    if (sign < 0) continue
    const key = line.slice(0, sign).trim()
    const keyEnd = line.slice(0, sign).trimEnd().length
    const rest = line.slice(sign + 1)
    const valueStart = sign + 1 + (rest.length - rest.trimStart().length)
    const { value, length } = readValue(line.slice(valueStart))
    values.push({
      section,
      key,
      value,
      start: start + valueStart,
      end: start + valueStart + length,
      separator:
        line.slice(keyEnd, valueStart).trimEnd() + (rest.trim() === '' ? '' : line.slice(sign + 1, valueStart)),
      indent: line.slice(0, line.length - line.trimStart().length),
      lineEnd: start + line.length,
    })
  }
  return { text, values, sections }
}

/** The bracket before a comment, or the last one: names of sections may have brackets in them. */
function closingBracket(header: string): number {
  const comment = header.search(/\][ \t]*[;#]/)
  return comment < 0 ? header.lastIndexOf(']') : comment
}

/** Reads a value from the beginning of a text: without quotes and without the comment behind it. */
function readValue(text: string): { readonly value: string; readonly length: number } {
  const quoted = /^"([^"]*)"[ \t]*(?:[;#].*)?$/.exec(text)
  if (quoted) return { value: quoted[1] ?? '', length: (quoted[1] ?? '').length + 2 }
  // Behind a value `#1` is no comment: names have it.
  const comment = text.search(/(?:^|[ \t])(?:;|#(?:[ \t#]|$))/)
  const raw = (comment < 0 ? text : text.slice(0, comment)).trimEnd()
  return { value: raw, length: raw.length }
}

function* linesOf(text: string): Generator<{ readonly line: string; readonly start: number }> {
  for (let start = 0; start < text.length; ) {
    let end = start
    while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++
    yield { line: text.slice(start, end), start }
    start = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1
  }
}

/** Outside brackets the first dot ends the section; later ones belong to the key. */
function parseIniPath(path: string): Path {
  const parts = ['']
  let depth = 0
  for (const char of path) {
    if (char === '[' && parts.length === 1) depth++
    else if (char === ']' && parts.length === 1) depth--
    else if (char === '.' && depth <= 0 && parts.length === 1) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts.length === 1 ? ['', parts[0] ?? ''] : parts
}
