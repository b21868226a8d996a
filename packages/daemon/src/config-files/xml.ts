import { ConfigError, type ConfigFormat, type Entry, type Path, type Splice, textOfScalar } from './config-format.ts'
import { indentAt, indentUnit } from './tree.ts'
import { parseXml, type XmlElement } from './xml-parser.ts'

interface Xml {
  readonly text: string
  readonly root: XmlElement | undefined
}

/** A part of a path, such as `Item[@name='x'][2]`. */
interface Step {
  readonly name: string
  readonly filters: readonly Filter[]
}
type Filter = { readonly position: number } | { readonly name: string; readonly value?: string | undefined }

/**
 * XML. A path is `Root.Element`, with `*` for any name and the filters `[2]`, `[@attribute='value']` and
 * `[child='value']`; `Root.Element.@name` is an attribute. In a `Path`, `Item#1` is the second child of this name.
 */
export const xmlFormat: ConfigFormat<Xml> = {
  parse: (text) => ({ text, root: parseXml(text) }),
  entries: ({ root }) => (root ? [...getEntries(root, [`${root.name}#0`])] : []),
  find({ root }, path) {
    const steps = splitPath(path)
    const attribute = steps.at(-1)?.startsWith('@') ? steps.slice(-1) : []
    const [first, ...rest] = steps.slice(0, steps.length - attribute.length).map(parseStep)
    if (!first) throw new ConfigError('the path has no element')
    if (root && first.name !== '*' && first.name !== root.name) throw new ConfigError(`the file has <${root.name}>`)
    const top = [`${root?.name ?? first.name}#0`]
    return [...expand(root, rest, top)].map((element) => [...element, ...attribute])
  },
  valueToWrite: (value) => textOfScalar(value).trim(),
  splices({ text, root }, path, value, style): Splice[] {
    const written = textOfScalar(value).trim()
    if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(written)) throw new ConfigError('the value is not valid in XML')
    const names = path.map((name) => String(name).replace(/#\d+$/, ''))
    if (names.some((name) => !/^@?[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(name))) throw new ConfigError('a name is not valid')
    const more = { ...style, text, unit: indentUnit(text, '  ') }
    if (root) return set(root, path.slice(1), written, more)
    const header = text.trim() === '' ? `<?xml version="1.0" encoding="utf-8"?>${style.lineEnd}` : ''
    const added = `${header}${build(names, written, { ...more, indent: '' })}${style.lineEnd}`
    return [{ start: text.length, end: text.length, text: added }]
  },
}

function* getEntries(element: XmlElement, path: Path): Generator<Entry> {
  for (const { name, value } of element.attributes) yield { path: [...path, `@${name}`], value }
  const texts = element.texts.map(({ value }) => value)
  if (texts.length > 0 || element.children.length === 0) yield { path, value: texts.join('').trim() }
  for (const [name, child] of namedChildren(element)) yield* getEntries(child, [...path, name])
}

/** The children with their names in paths. */
function namedChildren({ children }: XmlElement): [string, XmlElement][] {
  const counts = new Map<string, number>()
  return children.map((child) => {
    const count = counts.get(child.name) ?? 0
    counts.set(child.name, count + 1)
    return [`${child.name}#${count}`, child]
  })
}

function* expand(element: XmlElement | undefined, [step, ...rest]: readonly Step[], above: Path): Generator<Path> {
  if (!step) return yield above
  const children = element ? namedChildren(element).filter(([, { name }]) => [name, '*'].includes(step.name)) : []
  const found = step.filters.reduce((candidates, filter) => candidates.filter(matches(filter)), children)
  for (const [name, child] of found) yield* expand(child, rest, [...above, name])
  if (found.length > 0 || step.name === '*') return
  if (step.filters.length > 0) throw new ConfigError(`there is no such <${step.name}>`)
  yield* expand(undefined, rest, [...above, `${step.name}#0`])
}

const matches =
  (filter: Filter) =>
  ([, { attributes, children }]: [string, XmlElement], at: number): boolean => {
    if ('position' in filter) return at + 1 === filter.position
    const values = filter.name.startsWith('@')
      ? attributes.filter(({ name }) => `@${name}` === filter.name).map(({ value }) => value)
      : children.filter(({ name }) => name === filter.name).map(({ texts }) => texts.map(({ value }) => value).join(''))
    return values.some((value) => filter.value === undefined || value.trim() === filter.value)
  }

interface XmlStyle {
  readonly text: string
  readonly lineEnd: string
  readonly isAscii: boolean
  readonly unit: string
}

function set(element: XmlElement, [name, ...rest]: Path, value: string, style: XmlStyle): Splice[] {
  if (name === undefined) return [setText(element, value, style)]
  if (String(name).startsWith('@')) return [setAttribute(element, String(name).slice(1), value, style)]
  const child = namedChildren(element).find(([candidate]) => candidate === name)?.[1]
  if (child) return set(child, rest, value, style)
  const { text, lineEnd, unit } = style
  const names = [name, ...rest].map((part) => String(part).replace(/#\d+$/, ''))
  const outer = indentAt(text, element.start)
  const last = element.children.at(-1)
  const indent = last ? indentAt(text, last.start) : outer + unit
  const added = `${lineEnd}${indent}${build(names, value, { ...style, indent })}`
  if (last) return [{ start: last.end, end: last.end, text: added }]
  return [setContent(element, `${added}${lineEnd}${outer}`, style)]
}

function setText(element: XmlElement, value: string, style: XmlStyle): Splice {
  if (element.children.length > 0) throw new ConfigError('it has elements in it')
  const [first, ...more] = element.texts
  if (more.length > 0) throw new ConfigError('its text has several parts')
  const text = escapeXml(value, style.isAscii)
  if (!first) return setContent(element, text, style)
  const raw = style.text.slice(first.start, first.end)
  // Comments beside the text stay; the white space around it is not part of the value.
  const start = first.start + (raw.length - raw.trimStart().length)
  return { start, end: first.start + raw.trimEnd().length, text }
}

/** Inserts content into an element without text and elements. */
function setContent(element: XmlElement, content: string, { text }: XmlStyle): Splice {
  const { isSelfClosing, attributesEnd, contentStart, contentEnd, name, end } = element
  if (isSelfClosing) return { start: attributesEnd, end, text: `>${content}</${name}>` }
  const isBlank = text.slice(contentStart, contentEnd).trim() === ''
  return { start: isBlank ? contentStart : contentEnd, end: contentEnd, text: content }
}

function setAttribute(element: XmlElement, name: string, value: string, { isAscii }: XmlStyle): Splice {
  const text = escapeXml(value, isAscii)
  const known = element.attributes.find((attribute) => attribute.name === name)
  if (known) return { start: known.start, end: known.end, text }
  return { start: element.attributesEnd, end: element.attributesEnd, text: ` ${name}="${text}"` }
}

/** Elements that do not exist yet, one in the other, with a value in the last one. */
function build([name = '', ...rest]: readonly string[], value: string, style: XmlStyle & { indent: string }): string {
  const { indent, unit, lineEnd, isAscii } = style
  const [next] = rest
  if (next === undefined) return `<${name}>${escapeXml(value, isAscii)}</${name}>`
  if (next.startsWith('@')) return `<${name} ${next.slice(1)}="${escapeXml(value, isAscii)}"/>`
  const inner = indent + unit
  return `<${name}>${lineEnd}${inner}${build(rest, value, { ...style, indent: inner })}${lineEnd}${indent}</${name}>`
}

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

function escapeXml(value: string, isAscii: boolean): string {
  const escaped = value.replace(/[&<>"'\t\r\n]/g, (char) => named[char] ?? `&#${char.charCodeAt(0)};`)
  return isAscii ? escaped.replace(/[^\x00-\x7f]/gu, (char) => `&#${char.codePointAt(0)};`) : escaped
}

/** Splits at dots outside of brackets and quotes. */
function splitPath(path: string): string[] {
  const steps = ['']
  let [isInBrackets, quote] = [false, '']
  for (const char of path) {
    if (quote !== '') quote = char === quote ? '' : quote
    else if (isInBrackets && (char === "'" || char === '"')) quote = char
    else if (char === '[' || char === ']') isInBrackets = char === '['
    if (char === '.' && !isInBrackets) steps.push('')
    else steps[steps.length - 1] += char
  }
  return steps.map((step) => step.trim()).filter((step) => step !== '')
}

function parseStep(text: string): Step {
  const [name = '', ...filters] = text.split('[')
  return { name: name.trim(), filters: filters.map(parseFilter) }
}

/** Parses `2]`, `@attribute]`, `@attribute='value']`, `child='value']`. */
function parseFilter(text: string): Filter {
  const filter = text.trim().replace(/\]$/, '')
  if (/^\d{1,9}$/.test(filter)) return { position: Number(filter) }
  const sign = filter.indexOf('=')
  if (sign < 0) return { name: filter }
  const value = filter.slice(sign + 1).trim()
  const isQuoted = value.length > 1 && /^['"]/.test(value) && value.endsWith(value[0] as string)
  return { name: filter.slice(0, sign).trim(), value: isQuoted ? value.slice(1, -1) : value }
}
