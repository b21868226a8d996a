import { ConfigError, type Entry, emptyCollection, type Path, type Scalar } from './config-format.ts'

/** A node of a JSON or YAML file. `source` is the node of the parser. */
export type TreeNode<S> =
  | { readonly type: 'scalar'; readonly value: Scalar; readonly source: S }
  | { readonly type: 'object' | 'list'; readonly children: readonly TreeChild<S>[]; readonly source: S }
export interface TreeChild<S> {
  readonly name: string | number
  readonly node: TreeNode<S>
}

type Segment = { readonly name: string } | { readonly index: number } | Wildcard
interface Wildcard {
  readonly isWildcard: true
}
const wildcard: Wildcard = { isWildcard: true }

export function* getEntries<S>(node: TreeNode<S>, path: Path = []): Generator<Entry> {
  if (node.type === 'scalar') yield { path, value: node.value }
  else if (node.children.length === 0) yield { path, value: emptyCollection }
  else for (const { name, node: child } of node.children) yield* getEntries(child, [...path, name])
}

/**
 * The places that a path means: `a.b`, `a[0].b`, `a.0.b`, `a.*.b`, `a[*].b`. A dot in a name is `\.` or `~1`, and `~` is
 * `~0`. Missing names are included, items of a list only when it has none and the first is meant.
 */
export function findPaths<S>(root: TreeNode<S> | undefined, path: string): Path[] {
  return [...expand(root, parseTreePath(path), [])]
}

function* expand<S>(
  node: TreeNode<S> | undefined,
  [segment, ...rest]: readonly Segment[],
  above: Path,
): Generator<Path> {
  if (segment === undefined) {
    yield above
  } else if ('isWildcard' in segment) {
    for (const { name, node: child } of getChildren(node)) {
      if (rest.length === 0 || child.type !== 'scalar') yield* expand(child, rest, [...above, name])
    }
  } else {
    const name = nameIn(node, segment)
    if (typeof name === 'number' && name > 0 && name >= getChildren(node).length) {
      throw new ConfigError(`there is no item ${name}`)
    }
    yield* expand(findChild(node, name), rest, [...above, name])
  }
}

const getChildren = <S>(node: TreeNode<S> | undefined) => (node && node.type !== 'scalar' ? node.children : [])

/** Of a name that is there twice, the last one counts. */
export function findChild<S>(node: TreeNode<S> | undefined, name: string | number): TreeNode<S> | undefined {
  return getChildren(node).findLast((child) => child.name === name)?.node
}

function nameIn<S>(node: TreeNode<S> | undefined, segment: { name: string } | { index: number }): string | number {
  if ('index' in segment) return segment.index
  return node?.type === 'list' && /^\d{1,9}$/.test(segment.name) ? Number(segment.name) : segment.name
}

function parseTreePath(path: string): Segment[] {
  const names = path.match(/(?:\\.|[^.\\])+/g) ?? []
  return names.flatMap((part): Segment[] => {
    const [, before = '', brackets = ''] = /^(.*?)((?:\[(?:\d{1,9}|\*)\])*)$/s.exec(part) ?? []
    const name = before.replace(/\\(.)/gs, '$1').replaceAll('~1', '.').replaceAll('~0', '~')
    const items = [...brackets.matchAll(/\[(\d+|\*)\]/g)].map(
      ([, item]): Segment => (item === '*' ? wildcard : { index: Number(item) }),
    )
    return [...(before === '' ? [] : [before === '*' ? wildcard : { name }]), ...items]
  })
}

/**
 * The type of a new value: that of the current value, if the text fits. Over nothing, whole numbers and truth values
 * get their type.
 */
export function typedValue(value: Scalar, current: Entry['value'] | undefined): Scalar {
  if (typeof value !== 'string' || typeof current === 'string') return value
  const isNew = current === undefined || current === null || typeof current === 'symbol'
  if (typeof current === 'boolean' || isNew) {
    const truth = isNew ? value : value.toLowerCase()
    if (truth === 'true' || (truth === '1' && !isNew)) return true
    if (truth === 'false' || (truth === '0' && !isNew)) return false
  }
  if (isNew) return /^(?:0|-?[1-9]\d{0,15})$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof current === 'boolean') return value
  return findNumber(value) ?? value
}

/** Reads a number of JSON. */
export function findNumber(text: string): number | bigint | undefined {
  if (!/^-?(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?(?:e[-+]?\d{1,3})?$/i.test(text)) return undefined
  const number = Number(text)
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(number)) return BigInt(text)
  return Number.isFinite(number) ? number : undefined
}

/** The indentation of one level, from the first indented line. */
export function indentUnit(text: string, otherwise: string): string {
  const [, indent] = /\n([ \t]{1,16})[^\s]/.exec(text) ?? []
  return indent ?? otherwise
}

/** The white space at the beginning of the line of a position. */
export function indentAt(text: string, at: number): string {
  const start = lineStart(text, at)
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? ''
}

export function lineStart(text: string, at: number): number {
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1
}
