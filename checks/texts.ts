import type { Source } from './sources.ts'

/** A use of a key in the source code. */
export interface KeyUse {
  readonly at: string
  /** The key, or the constant prefix of a computed key. */
  readonly key: string
  readonly isPrefix: boolean
  /** Names of the interpolated values; `undefined` if they are computed. */
  readonly argumentNames: readonly string[] | undefined
}

/** A key, for example `servers.Restart`. Scopes such as `servers.view` have a lowercase second part. */
const keyShape = /^[a-z][A-Za-z-]*\.[A-Z]\w*$/

export function isKey(text: string): boolean {
  return keyShape.test(text)
}

/**
 * All uses of keys in a file: arguments of `t(…)`, and every other string literal with the form of a key, because tables
 * contain keys too.
 */
export function keyUses(source: Source): KeyUse[] {
  const found: KeyUse[] = []
  const inCalls = new Set<number>()
  source.visit({
    CallExpression({ callee, arguments: [key, values] }) {
      if (callee.type !== 'Identifier' || callee.name !== 't' || !key) return
      for (const { value, start } of getStringLiterals(key)) {
        inCalls.add(start)
        found.push({ at: source.at(start), key: value, isPrefix: false, argumentNames: findPropertyNames(values) })
      }
    },
    TemplateLiteral({ quasis, start }) {
      const prefix = quasis[0]?.value.cooked ?? ''
      if (quasis.length > 1 && /^[a-z][A-Za-z-]*\.([A-Z]\w*)?$/.test(prefix)) {
        found.push({ at: source.at(start), key: prefix, isPrefix: true, argumentNames: undefined })
      }
    },
  })
  source.visit({
    Literal({ value, start }) {
      if (typeof value !== 'string' || inCalls.has(start) || !isKey(value)) return
      found.push({ at: source.at(start), key: value, isPrefix: false, argumentNames: undefined })
    },
  })
  return found
}

/** The names in `{…}` of a text. */
export function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\s*(\w+)[^{}]*\}/g)].map(([, name = '']) => name))].sort()
}

interface Node {
  readonly type: string
  readonly start: number
}

/** The string literals that an expression can evaluate to, for example of `isNew ? 'a' : 'b'`. */
function getStringLiterals(node: Node): { value: string; start: number }[] {
  const { type, start } = node
  if (type === 'Literal') {
    const { value } = node as Node & { value: unknown }
    return typeof value === 'string' ? [{ value, start }] : []
  }
  if (type === 'ConditionalExpression') {
    const { consequent, alternate } = node as Node & { consequent: Node; alternate: Node }
    return [...getStringLiterals(consequent), ...getStringLiterals(alternate)]
  }
  return []
}

function findPropertyNames(values: Node | undefined): string[] | undefined {
  if (!values) return []
  if (values.type !== 'ObjectExpression') return undefined
  const { properties } = values as Node & { properties: readonly (Node & { key?: { name?: string } })[] }
  const names = properties.map(({ key }) => key?.name)
  return names.every((name) => name !== undefined) ? names : undefined
}
