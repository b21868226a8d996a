import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { ConfigError, type ConfigFormat, type Path, type Scalar, type Splice, type TextStyle } from './config-format.ts'
import {
  findChild,
  findNumber,
  findPaths,
  getEntries,
  indentAt,
  indentUnit,
  type TreeNode,
  typedValue,
} from './tree.ts'

type JsonNode = TreeNode<Node>

interface Json {
  readonly text: string
  readonly root: JsonNode | undefined
}

/** JSON; comments and commas before a closing bracket are allowed. */
export const jsonFormat: ConfigFormat<Json> = {
  parse(text) {
    if (text.trim() === '') return { text, root: undefined }
    const errors: ParseError[] = []
    const root = parseTree(text, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error || !root) throw new ConfigError(error ? getMessage(text, error) : 'it has no value')
    return { text, root: getNode(root, text) }
  },
  entries: ({ root }) => (root ? [...getEntries(root)] : []),
  find: ({ root }, path) => findPaths(root, path),
  valueToWrite: typedValue,
  splices({ text, root }, path, value, style) {
    if (!root) {
      const unit = '  '
      return [{ start: 0, end: text.length, text: block(path, value, { ...style, indent: '', unit }) + style.lineEnd }]
    }
    return set(root, path, value, { ...style, text, unit: indentUnit(text, '  ') })
  },
}

interface JsonStyle extends TextStyle {
  readonly text: string
  readonly unit: string
}

function set(node: JsonNode, path: Path, value: Scalar, style: JsonStyle): Splice[] {
  const [name, ...rest] = path
  const { offset, length } = node.source
  const indent = indentAt(style.text, offset)
  if (name === undefined) {
    if (node.type !== 'scalar' && node.children.length > 0) throw new ConfigError('it has several values')
    return [{ start: offset, end: offset + length, text: print(value, style.isAscii) }]
  }
  const child = findChild(node, name)
  if (child) return set(child, rest, value, style)
  if (node.type === 'scalar' && node.value === null) {
    return [{ start: offset, end: offset + length, text: block(path, value, { ...style, indent }) }]
  }
  if (node.type !== (typeof name === 'number' ? 'list' : 'object')) throw new ConfigError('it is no list of values')
  return add(node.source, [name, rest], value, style)
}

/** Adds a value at the end of an object or a list. */
function add(parent: Node, [name, rest]: [string | number, Path], value: Scalar, style: JsonStyle): Splice[] {
  const { text, lineEnd, isAscii, unit } = style
  const last = parent.children?.at(-1)
  const outer = indentAt(text, parent.offset)
  const key = typeof name === 'number' ? '' : `${print(name, isAscii)}: `
  if (!last) {
    const indent = outer + unit
    const isOpen = /^[ \t]*[\r\n]\s*[}\]]/.test(text.slice(parent.offset + 1))
    const added = `${lineEnd}${indent}${key}${block(rest, value, { ...style, indent })}${isOpen ? '' : lineEnd + outer}`
    return [{ start: parent.offset + 1, end: parent.offset + 1, text: added }]
  }
  const isOneLine = !/[\r\n]/.test(text.slice(parent.offset, last.offset))
  const end = last.offset + last.length
  if (isOneLine) return [{ start: end, end, text: `, ${key}${inline(rest, value, isAscii)}` }]
  const indent = indentAt(text, last.offset)
  const { comma, at } = restOfLine(text, end)
  const added = `${lineEnd}${indent}${key}${block(rest, value, { ...style, indent })}`
  if (comma) return [{ start: at, end: at, text: `${added},` }]
  if (at === end) return [{ start: end, end, text: `,${added}` }]
  return [
    { start: end, end, text: ',' },
    { start: at, end: at, text: added },
  ]
}

const endOfLinePart = /[ \t]*(?:,|\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)/y

/** Whether a comma follows, and the end of what belongs to the line: comments behind the last value. */
function restOfLine(text: string, from: number): { readonly comma: boolean; readonly at: number } {
  let [comma, at] = [false, from]
  for (;;) {
    endOfLinePart.lastIndex = at
    const part = endOfLinePart.exec(text)?.[0]
    if (part === undefined) return { comma, at }
    comma ||= part.trim() === ','
    at += part.length
  }
}

interface BlockStyle extends TextStyle {
  readonly indent: string
  readonly unit: string
}

/** A value inside objects and lists that do not exist yet. */
function block([name, ...rest]: Path, value: Scalar, style: BlockStyle): string {
  if (name === undefined) return print(value, style.isAscii)
  const { indent, unit, lineEnd, isAscii } = style
  const inner = block(rest, value, { ...style, indent: indent + unit })
  const text = typeof name === 'number' ? inner : `${print(name, isAscii)}: ${inner}`
  const [open, close] = typeof name === 'number' ? '[]' : '{}'
  return `${open}${lineEnd}${indent}${unit}${text}${lineEnd}${indent}${close}`
}

function inline([name, ...rest]: Path, value: Scalar, isAscii: boolean): string {
  if (name === undefined) return print(value, isAscii)
  const inner = inline(rest, value, isAscii)
  return typeof name === 'number' ? `[${inner}]` : `{${print(name, isAscii)}: ${inner}}`
}

function print(value: Scalar, isAscii: boolean): string {
  if (typeof value === 'bigint') return String(value)
  const text = JSON.stringify(value)
  return isAscii
    ? text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
}

function getNode(source: Node, text: string): JsonNode {
  const { type, children = [] } = source
  if (type === 'object') {
    const properties = children.map(({ children: [key, value] = [] }) => {
      if (!key || !value) throw new ConfigError('a value is missing')
      return { name: String(key.value), node: getNode(value, text) }
    })
    return { type: 'object', children: properties, source }
  }
  if (type === 'array') {
    return { type: 'list', children: children.map((item, name) => ({ name, node: getNode(item, text) })), source }
  }
  const value = type === 'number' ? findNumber(text.slice(source.offset, source.offset + source.length)) : undefined
  return { type: 'scalar', value: value ?? (source.value as Scalar), source }
}

function getMessage(text: string, { error, offset }: ParseError): string {
  const line = text.slice(0, offset).split('\n').length
  return `${printParseErrorCode(error)} in line ${line}`
}
