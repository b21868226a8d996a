import { escapeValue } from '@innkeeper/contract/text/escape'
import { type ConfigFormat, type Splice, textOfScalar } from './config-format.ts'

/** A key with its value in a Java properties file. Positions are those of the value as it is written. */
interface Property {
  readonly key: string
  readonly value: string
  readonly start: number
  readonly end: number
  readonly hasSeparator: boolean
}

interface Properties {
  readonly text: string
  readonly properties: readonly Property[]
}

/** Java properties. */
export const propertiesFormat: ConfigFormat<Properties> = {
  parse: (text) => ({ text, properties: [...parseProperties(text)] }),
  entries: ({ properties }) => properties.map(({ key, value }) => ({ path: [key], value })),
  find: (_, path) => [[path]],
  valueToWrite: (value) => unescapeProperties(escapeValue('properties', textOfScalar(value), '')),
  splices({ text, properties }, [key], value, { lineEnd, isAscii }): Splice[] {
    const raw = withAscii(escapeValue('properties', textOfScalar(value), String(key)), isAscii)
    const property = properties.findLast((candidate) => candidate.key === key)
    if (property) {
      return [{ start: property.start, end: property.end, text: property.hasSeparator ? raw : `=${raw}` }]
    }
    const isLineOpen = text !== '' && !/[\r\n]$/.test(text)
    const line = `${withAscii(escapeKey(String(key)), isAscii)}=${raw}${lineEnd}`
    return [{ start: text.length, end: text.length, text: isLineOpen ? lineEnd + line : line }]
  },
}

/** Java before version 9 reads these files as Latin-1, so a file of ASCII gets nothing else. */
function withAscii(text: string, isAscii: boolean): string {
  return isAscii ? text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${hex(unit)}`) : text
}

const hex = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0')

function escapeKey(key: string): string {
  return key.replace(/[\\:=#! ]/g, '\\$&').replace(/[\x00-\x1f\x7f\u0085\u2028\u2029]/g, (char) => `\\u${hex(char)}`)
}

function* parseProperties(text: string): Generator<Property> {
  let at = 0
  while (at < text.length) {
    while (at < text.length && /[ \t\f\r\n]/.test(text[at] as string)) at++
    if (at >= text.length) return
    if (text[at] === '#' || text[at] === '!') {
      at = endOfLine(text, at)
      continue
    }
    const end = endOfLogicalLine(text, at)
    let keyEnd = at
    while (keyEnd < end && !/[=: \t\f]/.test(text[keyEnd] as string) && !startsContinuation(text, keyEnd)) {
      keyEnd += text[keyEnd] === '\\' ? 2 : 1
    }
    keyEnd = Math.min(keyEnd, end)
    let start = skipBlanks(text, keyEnd, end)
    const hasSign = start < end && /[=:]/.test(text[start] as string)
    if (hasSign) start = skipBlanks(text, start + 1, end)
    const [key, value] = [unescapeProperties(text.slice(at, keyEnd)), unescapeProperties(text.slice(start, end))]
    yield { key, value, start, end, hasSeparator: hasSign || start > keyEnd }
    at = end
  }
}

const startsContinuation = (text: string, at: number): boolean => /^\\(?:\r\n|\r|\n)/.test(text.slice(at, at + 3))

/** Blanks, and the line ends that a backslash continues. */
function skipBlanks(text: string, from: number, end: number): number {
  let at = from
  while (at < end) {
    if (/[ \t\f]/.test(text[at] as string)) at++
    else if (startsContinuation(text, at)) at += text[at + 1] === '\r' && text[at + 2] === '\n' ? 3 : 2
    else break
  }
  return Math.min(at, end)
}

function endOfLine(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

function endOfLogicalLine(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') {
    if (text[at] !== '\\') at++
    else at += startsContinuation(text, at) && text[at + 1] === '\r' && text[at + 2] === '\n' ? 3 : 2
  }
  return Math.min(at, text.length)
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' }

function unescapeProperties(raw: string): string {
  return raw.replace(/\\(?:(?:\r\n|\r|\n)[ \t\f]*|u([\da-f]{4})|([\s\S]))/gi, (_, code?: string, char?: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return char === undefined ? '' : (escapes[char] ?? char)
  })
}
