import { ConfigError } from './config-format.ts'

/** An element with the positions of its parts in the text. */
export interface XmlElement {
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  readonly children: XmlElement[]
  /** Text runs and CDATA directly below, as they are written. */
  readonly texts: { readonly start: number; readonly end: number; readonly value: string }[]
  readonly start: number
  /** The end of the name, where the first attribute can be inserted. */
  readonly nameEnd: number
  /** The end of the start tag without `>` or `/>`. */
  readonly attributesEnd: number
  readonly isSelfClosing: boolean
  readonly contentStart: number
  /** The start of the end tag. */
  contentEnd: number
  end: number
}

export interface XmlAttribute {
  readonly name: string
  readonly value: string
  readonly quote: string
  /** Between the quotes. */
  readonly start: number
  readonly end: number
}

const maxDepth = 500
const name = /[^\s<>/=?"'!]+/y
const blanks = /\s*/y

/** Parses the elements of an XML file; undefined when there is none. Throws when tags do not fit. */
export function parseXml(text: string): XmlElement | undefined {
  const open: XmlElement[] = []
  let root: XmlElement | undefined
  let at = 0
  const fail = (reason: string, where = at): never => {
    throw new ConfigError(`${reason} in line ${text.slice(0, where).split('\n').length}`)
  }
  const getEnd = (close: string, from: number): number => {
    const found = text.indexOf(close, from)
    return found < 0 ? fail('something is not closed') : found + close.length
  }
  const addText = (start: number, end: number, value: string) => {
    if (value.trim() === '') return
    const element = open.at(-1)
    if (element) element.texts.push({ start, end, value })
    else fail('text outside of elements', start)
  }
  while (at < text.length) {
    const tag = text.indexOf('<', at)
    const textEnd = tag < 0 ? text.length : tag
    addText(at, textEnd, unescapeXml(text.slice(at, textEnd)))
    if (tag < 0) break
    at = tag
    if (text.startsWith('<!--', at)) at = getEnd('-->', at + 4)
    else if (text.startsWith('<![CDATA[', at)) {
      const end = getEnd(']]>', at)
      addText(at, end, text.slice(at + 9, end - 3))
      at = end
    } else if (text.startsWith('<?', at)) at = getEnd('?>', at)
    else if (text.startsWith('<!', at)) at = endOfDoctype(text, at) ?? fail('something is not closed')
    else if (text[at + 1] === '/') {
      const end = getEnd('>', at)
      const element = open.pop()
      if (!element || text.slice(at + 2, end - 1).trim() !== element.name) return fail('an end tag does not fit')
      element.contentEnd = at
      element.end = end
      at = end
    } else {
      const element = readStartTag(text, at, fail)
      const parent = open.at(-1)
      if (parent) parent.children.push(element)
      else if (root) fail('there is a second root element')
      else root = element
      if (!element.isSelfClosing && open.push(element) > maxDepth) fail('there are too many levels')
      at = element.contentStart
    }
  }
  if (open.length > 0) fail(`<${open.at(-1)?.name}> is not closed`, text.length)
  return root
}

/** The end of `<!DOCTYPE …>`, which may have declarations in brackets. */
function endOfDoctype(text: string, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string
    if (char === '"' || char === "'") {
      const end = text.indexOf(char, at + 1)
      if (end < 0) return undefined
      at = end
    } else if (char === '[') depth++
    else if (char === ']') depth--
    else if (char === '>' && depth === 0) return at + 1
  }
  return undefined
}

function readStartTag(text: string, start: number, fail: (reason: string, at?: number) => never): XmlElement {
  let at = start + 1
  const read = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  const elementName = read(name)
  if (elementName === '') fail('a tag has no name', start)
  const nameEnd = at
  let attributesEnd = at
  const attributes: XmlAttribute[] = []
  for (;;) {
    read(blanks)
    if (text[at] === '>' || text.startsWith('/>', at)) break
    const attribute = read(name)
    read(blanks)
    if (attribute === '' || text[at] !== '=') return fail('an attribute is not valid', start)
    at++
    read(blanks)
    const quote = text[at] ?? ''
    const end = quote === '"' || quote === "'" ? text.indexOf(quote, at + 1) : -1
    if (end < 0) return fail('an attribute is not valid', start)
    attributes.push({ name: attribute, value: unescapeXml(text.slice(at + 1, end)), quote, start: at + 1, end })
    at = end + 1
    attributesEnd = at
  }
  const isSelfClosing = text[at] === '/'
  const end = at + (isSelfClosing ? 2 : 1)
  return {
    name: elementName,
    attributes,
    children: [],
    texts: [],
    start,
    nameEnd,
    attributesEnd,
    isSelfClosing,
    contentStart: end,
    contentEnd: end,
    end,
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, entity) => {
    if (entity !== undefined) return entities[entity] ?? whole
    const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
