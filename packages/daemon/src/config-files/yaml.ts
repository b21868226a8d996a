import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, visit } from 'yaml'
import { ConfigError, type ConfigFormat, type Path, type Scalar, type Splice, type TextStyle } from './config-format.ts'
import { findChild, findPaths, getEntries, lineStart, type TreeNode, typedValue } from './tree.ts'

interface YamlSource {
  readonly node: Node | null
  /** The key and value that the node is the value of. */
  readonly pair?: Pair<Node, Node | null> | undefined
}
type YamlNode = TreeNode<YamlSource>

interface Yaml {
  readonly text: string
  /** Documents of the file; the first is changed. */
  readonly roots: readonly YamlNode[]
  /** Anchors that an alias refers to. */
  readonly sharedAnchors: ReadonlySet<string>
}

/** YAML. Most games read version 1.1, where `no` and `1_000` are not text, so both versions are respected. */
export const yamlFormat: ConfigFormat<Yaml> = {
  parse(text) {
    // Looking for the same key in a map takes time by the square of its size.
    const options = { version: '1.1', keepSourceTokens: true, uniqueKeys: false, prettyErrors: false } as const
    const documents = [...parseAllDocuments(text, options)]
    const sharedAnchors = new Set<string>()
    for (const document of documents) {
      const [error] = document.errors
      if (error?.message.startsWith('Maximum call stack')) throw new RangeError(error.message)
      if (error) throw new ConfigError(`${error.message} in line ${text.slice(0, error.pos[0]).split('\n').length}`)
      visit(document, { Alias: (_, { source }) => void sharedAnchors.add(source) })
    }
    const roots = documents.map((document) => getNode(document.contents as Node | null, new Map()))
    return { text, roots, sharedAnchors }
  },
  entries: ({ roots }) => roots.flatMap((root, at) => [...getEntries(root, at === 0 ? [] : [`\0${at}`])]),
  find: ({ roots: [root] }, path) => findPaths(root, path),
  valueToWrite: typedValue,
  splices({ text, roots: [root], sharedAnchors }, path, value, style) {
    const isEmpty = !root || (root.type === 'scalar' && root.value === null)
    if (!isEmpty) return set(root, path, value, { ...style, text, sharedAnchors })
    const open = text === '' || /[\r\n]$/.test(text) ? '' : style.lineEnd
    const at = text.length
    return [{ start: at, end: at, text: `${open}${block(path, value, { ...style, indent: '' })}${style.lineEnd}` }]
  },
}

interface YamlStyle extends TextStyle {
  readonly text: string
  readonly sharedAnchors: ReadonlySet<string>
}

function set(parent: YamlNode, path: Path, value: Scalar, style: YamlStyle): Splice[] {
  const [name, ...rest] = path
  const { node, pair } = parent.source
  const anchor = node && 'anchor' in node ? node.anchor : undefined
  if (anchor !== undefined && style.sharedAnchors.has(anchor)) throw new ConfigError(`*${anchor} would change, too`)
  if (name === undefined) {
    if (parent.type !== 'scalar' && parent.children.length > 0) throw new ConfigError('it has several values')
    return [replacement(node, pair, print(value, style.isAscii, getQuote(node)), style)]
  }
  const child = findChild(parent, name)
  if (child) return set(child, rest, value, style)
  if (isAlias(node)) throw new ConfigError(`*${node.source} would change, too`)
  if (parent.type === 'scalar' && parent.value === null) {
    return [replacement(node, pair, inline(path, value, style.isAscii), style)]
  }
  if (parent.type !== (typeof name === 'number' ? 'list' : 'object')) throw new ConfigError('it is no list of values')
  return [addition(parent, path, value, style)]
}

function replacement(
  node: Node | null,
  pair: YamlSource['pair'],
  text: string,
  { text: before, lineEnd }: YamlStyle,
): Splice {
  const [start, end] = node?.range ?? [0, 0]
  if (node && end > start) {
    // A block scalar includes its last line end.
    const written = before.slice(start, end)
    return { start, end, text: written.endsWith('\n') ? text + lineEnd : text }
  }
  const colon = pair?.srcToken?.sep?.find(({ type }) => type === 'map-value-ind')
  if (!colon) throw new ConfigError('it has no value')
  return { start: colon.offset + 1, end: colon.offset + 1, text: ` ${text}` }
}

/** Adds a value at the end of a map or a list. */
function addition(parent: YamlNode, path: Path, value: Scalar, style: YamlStyle): Splice {
  const { node } = parent.source
  const { text, lineEnd, isAscii } = style
  if (!(isMap(node) || isSeq(node)) || !node.range) throw new ConfigError('it is no list of values')
  const [start, end] = node.range
  if (node.flow) {
    const isEmpty = node.items.length === 0
    const flow = inline(path, value, isAscii).slice(1, -1)
    const last = endOfLast(node.items.at(-1) as Pair<Node, Node | null> | Node | undefined)
    const at = last ?? start + 1
    return { start: at, end: at, text: isEmpty ? flow : `, ${flow}` }
  }
  const indent = ' '.repeat(start - lineStart(text, start))
  const added = indent + block(path, value, { ...style, indent })
  const isAfterLine = end > 0 && /[\r\n]/.test(text[end - 1] as string)
  return { start: end, end, text: isAfterLine ? added + lineEnd : lineEnd + added }
}

function endOfLast(item: Pair<Node, Node | null> | Node | undefined): number | undefined {
  if (!item) return undefined
  if (!('key' in item)) return item.range?.[1]
  const [start = 0, end = 0] = item.value?.range ?? []
  return end > start ? end : item.key.range?.[1]
}

/** A value inside maps and lists that do not exist yet, without the indentation of the first line. */
function block([name, ...rest]: Path, value: Scalar, style: TextStyle & { readonly indent: string }): string {
  const { indent, lineEnd, isAscii } = style
  if (name === undefined) return print(value, isAscii)
  const inner = `${indent}  `
  const text = block(rest, value, { ...style, indent: inner })
  if (typeof name === 'number') return `- ${text}`
  const key = print(name, isAscii)
  return rest.length === 0 ? `${key}: ${text}` : `${key}:${lineEnd}${inner}${text}`
}

function inline([name, ...rest]: Path, value: Scalar, isAscii: boolean): string {
  if (name === undefined) return print(value, isAscii)
  const inner = inline(rest, value, isAscii)
  return typeof name === 'number' ? `[${inner}]` : `{${print(name, isAscii)}: ${inner}}`
}

type Quote = 'single' | 'double' | undefined

function getQuote(node: Node | null): Quote {
  if (!isScalar(node)) return undefined
  return node.type === 'QUOTE_SINGLE' ? 'single' : node.type === 'QUOTE_DOUBLE' ? 'double' : undefined
}

/** Quotes what YAML would read as another value. */
function print(value: Scalar, isAscii: boolean, quote?: Quote): string {
  if (typeof value !== 'string') return String(value)
  if (isAscii ? /[^\x20-\x7e]/.test(value) : /[\p{C}\u2028\u2029]/u.test(value)) return doubleQuoted(value, isAscii)
  if (quote === 'single') return `'${value.replaceAll("'", "''")}'`
  return quote === undefined && isPlain(value) ? value : doubleQuoted(value, isAscii)
}

function doubleQuoted(value: string, isAscii: boolean): string {
  const unusual = isAscii ? /[^\x20-\x7e]/g : /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g
  return JSON.stringify(value).replace(unusual, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Whether a text without quotes is the same text in both versions of YAML, also in `{…}`. */
function isPlain(text: string): boolean {
  if (text.length > 1_000 || !/^[\p{L}\p{N}_./][\p{L}\p{N}_./@+:-]*(?: [\p{L}\p{N}_./@+:-]+)*$/u.test(text))
    return false
  if (/:(?: |$)|^-|^\.\.\.$|^=$/.test(text)) return false
  return (['1.1', '1.2'] as const).every((version) => {
    const [document] = parseAllDocuments(text, { version })
    return isScalar(document?.contents) && document.contents.value === text
  })
}

/** `anchors` are the values so far that have one: an alias refers to the last of its name before it. */
function getNode(node: Node | null, anchors: Map<string, Node>, pair?: YamlSource['pair']): YamlNode {
  const source = { node, pair }
  if (node && 'anchor' in node && node.anchor !== undefined) anchors.set(node.anchor, node)
  if (isMap(node)) {
    const children = (node.items as Pair<Node, Node | null>[]).map((item) => ({
      name: isScalar(item.key) ? String(item.key.source ?? item.key.value) : `\0${String(item.key)}`,
      node: getNode(item.value, anchors, item),
    }))
    return { type: 'object', children, source }
  }
  if (isSeq(node)) {
    const children = (node.items as Node[]).map((item, name) => ({ name, node: getNode(item, anchors) }))
    return { type: 'list', children, source }
  }
  const scalar = isAlias(node) ? anchors.get(node.source) : node
  return {
    type: 'scalar',
    value: isScalar(scalar) ? getScalar(scalar) : isAlias(node) ? `*${node.source}` : null,
    source,
  }
}

function getScalar({ value, source }: { readonly value: unknown; readonly source?: string | undefined }): Scalar {
  if (typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)) {
    return BigInt(source)
  }
  const isKnown = value === null || ['string', 'number', 'boolean', 'bigint'].includes(typeof value)
  return isKnown ? (value as Scalar) : (source ?? '')
}
