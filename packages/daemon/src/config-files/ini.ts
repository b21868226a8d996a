import { hasLineBreak } from '@innkeeper/contract/text/escape'
import { ConfigError, type ConfigFormat, type Path, type Splice, textOfScalar } from './config-format.ts'

interface IniValue {
  readonly section: string
  readonly key: string
  readonly value: string
  /** Of the value, which has its quotes and no comment. */
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
  valueToWrite: (value, current) => written(textOfScalar(value).trim(), String(current ?? '').startsWith('"')),
  splices(ini, [section, key], value, { lineEnd }): Splice[] {
    const text = textOfScalar(value)
    if (hasLineBreak(text)) throw new ConfigError('the value must be one line')
    if (/[\x00-\x08\x0e-\x1f\x7f]/.test(text)) throw new ConfigError('the value has control characters')
    const known = ini.values.findLast((candidate) => candidate.section === section && candidate.key === key)
    if (known) {
      return [{ start: known.start, end: known.end, text }]
    }
    return [insertion(ini, { section: String(section), key: String(key), text }, lineEnd)]
  },
}

/** Quotes a value that was quoted, or that would be read as another one. */
function written(text: string, isQuoted: boolean): string {
  const isWhole = readValue(text) === text
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
  for (const { line, start } of parseLines(text)) {
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
    const value = readValue(line.slice(valueStart))
    values.push({
      section,
      key,
      value,
      start: start + valueStart,
      end: start + valueStart + value.length,
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

/** The value at the beginning of a text, with its quotes and without the comment behind it. */
function readValue(text: string): string {
  const [quoted] = /^"[^"]*"(?=[ \t]*(?:[;#].*)?$)/.exec(text) ?? []
  if (quoted !== undefined) return quoted
  // Behind a value `#1` is no comment: names have it.
  const comment = text.search(/(?:^|[ \t])(?:;|#(?:[ \t#]|$))/)
  return (comment < 0 ? text : text.slice(0, comment)).trimEnd()
}

function* parseLines(text: string): Generator<{ readonly line: string; readonly start: number }> {
  for (let start = 0; start < text.length; ) {
    let end = start
    while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++
    yield { line: text.slice(start, end), start }
    start = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1
  }
}

/** Outside brackets the first dot ends the section; later ones belong to the key. Brackets around either are dropped. */
function parseIniPath(path: string): Path {
  let depth = 0
  for (const [at, char] of path.split('').entries()) {
    if (char === '[') depth++
    else if (char === ']') depth--
    else if (char === '.' && depth <= 0)
      return [withoutBrackets(path.slice(0, at)), withoutBrackets(path.slice(at + 1))]
  }
  return ['', withoutBrackets(path)]
}

const withoutBrackets = (name: string): string => (/^\[.*\]$/s.test(name) ? name.slice(1, -1) : name)
