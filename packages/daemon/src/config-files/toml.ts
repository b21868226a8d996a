import { type AST, ParseError, parseTOML } from 'toml-eslint-parser'
import { ConfigError, type ConfigFormat, type Path, type Scalar, type Splice, type TextStyle } from './config-format.ts'
import {
  findChild,
  findPaths,
  getEntries,
  indentAt,
  lineStart,
  type TreeChild,
  type TreeNode,
  typedValue,
} from './tree.ts'

/** What has lines of its own, `key = value`: the top of the file, or a table with a heading. */
type Section = AST.TOMLTopLevelTable | AST.TOMLTable
/** `headings`: what only the headings of tables name; `keys`: what only dotted keys name. */
type TomlSource = Section | AST.TOMLContentNode | 'headings' | 'keys'

type TomlNode =
  | { readonly type: 'scalar'; readonly value: Scalar; readonly source: TomlSource }
  | { readonly type: 'object' | 'list'; readonly children: TreeChild<TomlSource>[]; source: TomlSource }

interface Toml {
  readonly text: string
  readonly root: TreeNode<TomlSource>
}

const { isInteger, isSafeInteger } = Number

/** TOML 1.0. A missing value is added at the end of its table, with a dotted key where the table does not exist. */
export const tomlFormat: ConfigFormat<Toml> = {
  parse(text) {
    try {
      const [top] = parseTOML(text, { tomlVersion: '1.0' }).body
      return { text, root: getTree(top) }
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      throw new ConfigError(`${error.message} in line ${error.lineNumber}`, { cause: error })
    }
  },
  entries: ({ root }) => [...getEntries(root)],
  find: ({ root }, path) => findPaths(root, path),
  valueToWrite: typedValue,
  splices: ({ text, root }, path, value, style) => set(root, path, value, { ...style, text }),
}

interface TomlStyle extends TextStyle {
  readonly text: string
}

function set(root: TreeNode<TomlSource>, path: Path, value: Scalar, style: TomlStyle): Splice[] {
  let node = root
  let [section, below]: [Section, number] = [root.source as Section, 0]
  for (const [depth, name] of path.entries()) {
    const { source } = node
    const child = findChild(node, name)
    if (child) {
      node = child
      if (isSection(child.source)) [section, below] = [child.source, depth + 1]
      continue
    }
    if (node.type !== (typeof name === 'number' ? 'list' : 'object')) throw new ConfigError('it is no list of values')
    const rest = path.slice(depth)
    if (isContent(source)) return [append(source, rest, value, style)]
    if (typeof name === 'number') throw new ConfigError(`there is no item ${name}`)
    const above = path.slice(0, depth)
    if (source === 'headings' && above.every((one) => typeof one === 'string'))
      return [addTable(above, inlinePair(rest, value, style), style)]
    return [addLine(section, inlinePair(path.slice(below), value, style), style)]
  }
  const { source } = node
  if (node.type !== 'scalar' && node.children.length > 0) throw new ConfigError('it has several values')
  if (!isContent(source)) throw new ConfigError('it is a table')
  const [start, end] = source.range
  return [{ start, end, text: print(value, style, source) }]
}

const isSection = (source: TomlSource): source is Section =>
  typeof source === 'object' && (source.type === 'TOMLTopLevelTable' || source.type === 'TOMLTable')

const isContent = (source: TomlSource): source is AST.TOMLContentNode =>
  typeof source === 'object' && !isSection(source)

/** Adds an item to `{…}` or `[…]`. */
function append(source: AST.TOMLContentNode, path: Path, value: Scalar, style: TextStyle): Splice {
  if (source.type === 'TOMLValue') throw new ConfigError('it is no list of values')
  const isTable = source.type === 'TOMLInlineTable'
  const last = (isTable ? source.body : source.elements).at(-1)
  const added = isTable ? inlinePair(path, value, style) : inline(path.slice(1), value, style)
  const at = last ? last.range[1] : source.range[0] + 1
  return { start: at, end: at, text: last ? `, ${added}` : added }
}

/** Adds a table at the end of the file. */
function addTable(path: Path, added: string, { text, lineEnd, ...style }: TomlStyle): Splice {
  const heading = path.map((name) => printKey(String(name), { lineEnd, ...style })).join('.')
  const open = text === '' || /[\r\n]$/.test(text) ? '' : lineEnd
  const at = text.length
  return { start: at, end: at, text: `${open}${lineEnd}[${heading}]${lineEnd}${added}${lineEnd}` }
}

/** Adds a line at the end of a table; at the top of the file, before its first table. */
function addLine(section: Section, added: string, { text, lineEnd }: TomlStyle): Splice {
  const last = section.body.findLast((item) => item.type === 'TOMLKeyValue')
  if (!last && section.type === 'TOMLTopLevelTable') {
    const [first] = section.body
    const at = first ? lineStart(text, first.range[0]) : text.length
    const isOpen = !first && text !== '' && !/[\r\n]$/.test(text)
    return { start: at, end: at, text: `${isOpen ? lineEnd : ''}${added}${lineEnd}${first ? lineEnd : ''}` }
  }
  const [start, end] = (last ?? section).range
  // What belongs to the line: a comment.
  const at = end + (/^[^\r\n]*/.exec(text.slice(end))?.[0].length ?? 0)
  return { start: at, end: at, text: `${lineEnd}${indentAt(text, start)}${added}` }
}

/** `a.b = value`; what follows a position in a list is a value. */
function inlinePair(path: Path, value: Scalar, style: TextStyle): string {
  const at = path.findIndex((name) => typeof name === 'number')
  const names = at < 0 ? path : path.slice(0, at)
  const key = names.map((name) => printKey(String(name), style)).join('.')
  return `${key} = ${inline(at < 0 ? [] : path.slice(at), value, style)}`
}

function inline(path: Path, value: Scalar, style: TextStyle): string {
  const [name, ...rest] = path
  if (name === undefined) return print(value, style)
  return typeof name === 'number' ? `[${inline(rest, value, style)}]` : `{ ${inlinePair(path, value, style)} }`
}

const printKey = (name: string, { isAscii }: TextStyle): string =>
  /^[\w-]+$/.test(name) ? name : basicString(name, isAscii)

function print(value: Scalar, { isAscii }: TextStyle, before?: AST.TOMLContentNode): string {
  if (value === null) throw new ConfigError('TOML has no null')
  const written = before?.type === 'TOMLValue' ? before : undefined
  if (typeof value === 'number') return written?.kind === 'float' ? printFloat(value) : String(value)
  if (typeof value !== 'string') return String(value)
  if (written && 'datetime' in written && isDateTime(value)) return value
  const isLiteral = written?.kind === 'string' && written.style === 'literal' && !written.multiline
  if (isLiteral && !/['\p{C}]/u.test(value) && !(isAscii && /[^\x20-\x7e]/.test(value))) return `'${value}'`
  return basicString(value, isAscii)
}

/** A whole number stays a float. */
const printFloat = (value: number): string => (isInteger(value) && isSafeInteger(value) ? `${value}.0` : String(value))

function isDateTime(text: string): boolean {
  try {
    const [item] = parseTOML(`x = ${text}`, { tomlVersion: '1.0' }).body[0].body
    return item?.type === 'TOMLKeyValue' && 'datetime' in item.value
  } catch (error) {
    if (error instanceof ParseError) return false
    throw error
  }
}

function basicString(value: string, isAscii: boolean): string {
  return JSON.stringify(value).replace(isAscii ? /[^\x20-\x7e]/gu : /\x7f/g, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16)
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
  })
}

function getTree(top: AST.TOMLTopLevelTable): TreeNode<TomlSource> {
  const root: TomlNode = { type: 'object', children: [], source: top }
  for (const item of top.body) {
    if (item.type === 'TOMLKeyValue') {
      addPair(root, item)
      continue
    }
    const table = tableAt(root, item.resolvedKey, 'headings')
    if (table.type !== 'scalar') table.source = item
    for (const pair of item.body) addPair(table, pair)
  }
  return root
}

function addPair(table: TomlNode, { key, value }: AST.TOMLKeyValue): void {
  const names = key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))
  const parent = tableAt(table, names.slice(0, -1), 'keys')
  if (parent.type !== 'scalar') parent.children.push({ name: names.at(-1) ?? '', node: getNode(value) })
}

/** The table at a path, which is created with those above it. */
function tableAt(table: TomlNode, path: Path, source: 'headings' | 'keys'): TomlNode {
  return path.reduce<TomlNode>((parent, name, at) => {
    const known = findChild(parent, name)
    // Nodes of this file are only made here.
    if (known || parent.type === 'scalar') return (known ?? parent) as TomlNode
    const isList = typeof path[at + 1] === 'number'
    const node: TomlNode = { type: isList ? 'list' : 'object', children: [], source }
    parent.children.push({ name, node })
    return node
  }, table)
}

function getNode(source: AST.TOMLContentNode): TomlNode {
  if (source.type === 'TOMLArray')
    return { type: 'list', children: source.elements.map((item, name) => ({ name, node: getNode(item) })), source }
  if (source.type === 'TOMLInlineTable') {
    const table: TomlNode = { type: 'object', children: [], source }
    for (const pair of source.body) addPair(table, pair)
    return table
  }
  return { type: 'scalar', value: getScalar(source), source }
}

function getScalar(source: AST.TOMLValue): Scalar {
  if ('datetime' in source) return source.datetime
  if (source.kind === 'integer') return isSafeInteger(source.value) ? source.value : source.bigint
  return source.value
}
