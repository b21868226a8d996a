import { type ASTNode, Environment as Language } from '@marcbachmann/cel-js'

/**
 * Conditions of steps, commands and groups of settings, in the Common Expression Language: `env == 'host'`,
 * `javaversion != '' && !file_exists("server.properties")`. Variables of the server are available by name, whatever
 * characters the name has. Definitions hold most values as text, so a value is converted to the type it is compared
 * with.
 */

/** Built-in names. They take precedence over variables of the server. */
export interface BuiltIns {
  /** `host` or `docker`. */
  readonly env: string
  /** As in Go: `linux`, `amd64`. */
  readonly os: string
  readonly arch: string
  readonly serverId: string
  /**
   * Whether no step of the list has failed so far; in a list that runs after the process, whether the process ended
   * normally.
   */
  readonly success: boolean
}

/** Built-in names of tasks: who plays. Undefined while that is unknown. */
export interface PlayerFacts {
  /** Number of people on the server, without bots. */
  readonly players: number | undefined
  /** For how many whole minutes nobody has played; 0 while somebody plays. */
  readonly quietMinutes: number | undefined
}

/** The context in which a condition is evaluated. A condition that needs a missing value is an error. */
export interface EvaluationContext extends Partial<BuiltIns> {
  /** Only in tasks. Elsewhere its names are those of variables. */
  readonly playing?: PlayerFacts
  /** Values of variables, as text. */
  readonly values: ReadonlyMap<string, string>
  /** The path is relative to the server's folder, with or without a leading slash. */
  readonly fileExists?: (path: string) => boolean | Promise<boolean>
  /** Whether the server can run a program of this name. */
  readonly inPath?: (name: string) => boolean | Promise<boolean>
}

/** A condition that cannot be parsed or evaluated. The message is shown to users. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError'
}

/** A condition needs to know who plays, and the game does not answer. */
export class PlayersUnknownError extends ConditionError {}

const builtInNames = ['env', 'os', 'arch', 'serverId', 'success'] as const
const playerFactNames = ['players', 'quietMinutes'] as const

/** Limits of one condition: more than any real condition needs, and small enough to evaluate quickly. */
export const conditionMaxChars = 2_000
const limits = { maxAstNodes: 500, maxDepth: 50, maxListElements: 100, maxMapEntries: 10, maxCallArguments: 8 }

/**
 * The only functions that a condition may call. Each part of a condition is evaluated at most once, and none of these
 * functions returns more than its input, so the cost of a condition is bounded by its size. Macros of the language are
 * excluded: nested ones take exponential time. So are `join` and `cel.bind`, which multiply text, and `matches`, which
 * can backtrack.
 */
const allowedFunctions = {
  call: ['size', 'int', 'double', 'string', 'bool', 'file_exists', 'in_path'],
  rcall: ['size', 'startsWith', 'endsWith', 'lowerAscii', 'upperAscii', 'trim', 'substring'],
  /** Their time grows with the product of two lengths. */
  search: ['contains', 'indexOf', 'lastIndexOf', 'split'],
} as const

/** Maximum total length of the variables of a condition, with and without a function that searches. */
const valuesMax = 65_536
const searchedValuesMax = 4_096

/**
 * Returns why the text is not a valid condition; `undefined` when it is valid or empty. `names` are the server's
 * variables. Without them, a name that begins with a digit cannot be distinguished from a mistake.
 */
export function conditionProblem(text: string, names: Iterable<string> = []): string | undefined {
  try {
    if (!isEmptyCondition(text)) parse(text, names, getFunctions({ values: new Map() }))
    return undefined
  } catch (error) {
    if (error instanceof ConditionError) return error.message
    throw error
  }
}

/** Whether the condition is empty. */
export function isEmptyCondition(text: string | null | undefined): text is '' | null | undefined {
  return text === undefined || text === null || text.trim() === ''
}

/**
 * Evaluates a condition. Throws `ConditionError` when it cannot be evaluated, and `PlayersUnknownError` for one that
 * mentions who plays while that is unknown, whatever else it says: neither `players == 0` nor `!(players > 0)` holds then.
 */
export async function evaluate(text: string, ground: EvaluationContext): Promise<boolean> {
  return toBoolean(text, await run(text, ground))
}

/** Like `evaluate`, for a context without asynchronous functions. */
export function evaluateSync(text: string, ground: EvaluationContext): boolean {
  return toBoolean(text, run(text, ground))
}

/**
 * Evaluates a condition. Returns true when it is empty or cannot be evaluated: for things that are better shown than
 * hidden.
 */
export function evaluateOrTrue(text: string | null | undefined, ground: EvaluationContext): boolean {
  try {
    return isEmptyCondition(text) || evaluateSync(text, ground)
  } catch (error) {
    if (error instanceof ConditionError) return true
    throw error
  }
}

/** The first entry whose condition is true, else the first entry without a condition. Throws `ConditionError`. */
export async function firstMatching<T extends { readonly if?: string | null | undefined }>(
  entries: readonly T[],
  ground: EvaluationContext,
): Promise<T | undefined> {
  for (const entry of entries) if (!isEmptyCondition(entry.if) && (await evaluate(entry.if, ground))) return entry
  return entries.find((entry) => isEmptyCondition(entry.if))
}

function run(text: string, ground: EvaluationContext): unknown {
  const { playing } = ground
  const names = [...ground.values.keys()].filter((name) => !playing || !isPlayerFact(name))
  const { run, occurrences, aliases, searches, others } = parse(text, names, getFunctions(ground))
  const context: Record<string, unknown> = {}
  for (const name of builtInNames) if (ground[name] !== undefined) context[name] = ground[name]
  for (const name of playing ? playerFactNames : []) {
    const value = playing?.[name]
    if (value !== undefined) context[name] = BigInt(value)
    else if (others.has(name))
      throw new PlayersUnknownError('it is unknown who plays, because the game does not answer')
  }
  const maxChars = searches ? searchedValuesMax : valuesMax
  let length = 0
  for (const [alias, type] of occurrences) {
    const name = aliases.get(alias) ?? ''
    const value = ground.values.get(name) ?? ''
    length += value.length
    if (length > maxChars)
      throw new ConditionError(
        `the condition "${text}" cannot be evaluated: its variables exceed ${maxChars} characters`,
      )
    context[alias] = valueAs(type, value, name)
  }
  try {
    const answer: unknown = run(context)
    return answer instanceof Promise ? answer.catch((error: unknown) => Promise.reject(failure(text, error))) : answer
  } catch (error) {
    throw failure(text, error)
  }
}

function toBoolean(text: string, answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw new ConditionError(`the condition "${text}" is neither true nor false`)
}

function getFunctions({ fileExists, inPath }: EvaluationContext): Language {
  const requireAvailable =
    (name: string, lookup: EvaluationContext['inPath']) =>
    (argument: string): boolean | Promise<boolean> => {
      if (!lookup) throw new ConditionError(`${name} is not available here`)
      return lookup(argument)
    }
  return new Language({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits })
    .registerFunction('file_exists(string): bool', requireAvailable('file_exists', fileExists))
    .registerFunction('in_path(string): bool', requireAvailable('in_path', inPath))
}

/** The requested type of a name. */
type ValueType = 'boolean' | 'number' | 'text'

interface ParsedCondition {
  readonly run: (context: Record<string, unknown>) => unknown
  /** The alias of each occurrence of a variable, with the type that its position needs. */
  readonly occurrences: ReadonlyMap<string, ValueType>
  /** The variable of each alias. */
  readonly aliases: ReadonlyMap<string, string>
  /** Whether the expression calls a function that searches in text. */
  readonly searches: boolean
  /** The other names in it. */
  readonly others: ReadonlySet<string>
}

function parse(text: string, names: Iterable<string>, language: Language): ParsedCondition {
  if (text.length > conditionMaxChars)
    throw new ConditionError(`the condition has more than ${conditionMaxChars} characters`)
  const { source, aliases } = withAliases(text, new Set(names))
  try {
    const parsed = language.parse(source)
    const methods = methodsIn(parsed.ast, text)
    const { valid, type, error } = parsed.check()
    if (!valid) throw error
    if (type !== 'bool' && type !== 'dyn') throw new ConditionError(`the condition "${text}" is neither true nor false`)
    const occurrences = new Map<string, ValueType>()
    const others = new Set<string>()
    for (const [name, kind] of namesIn(parsed.ast, 'boolean')) {
      if (aliases.has(name)) occurrences.set(name, kind)
      else others.add(name)
    }
    const searches = allowedFunctions.search.some((name) => methods.has(name))
    return { run: parsed, occurrences, aliases, searches, others }
  } catch (error) {
    throw failure(text, error, aliases)
  }
}

/** String literals, numbers and identifiers; identifiers may contain hyphens. */
const tokens =
  /(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\p{L}\p{N}_$][\p{L}\p{N}_$.:-]*|[\s\S])/gu

/** Replaces each variable by a plain alias, because not every variable name is a valid identifier. */
function withAliases(text: string, names: ReadonlySet<string>): { source: string; aliases: Map<string, string> } {
  const aliases = new Map<string, string>()
  const known = [...names].filter((name) => !notVariables.includes(name)).toSorted(byLength)
  let before = ''
  let source = ''
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const isCalled = /^\s*\(/.test(text.slice(index + token.length))
    const isWord = /^[\p{L}\p{N}_$]/u.test(token)
    source += isWord && !before.endsWith('.') ? words(token, isCalled) : token
    if (token.trim() !== '') before = token
  }
  return { source, aliases }

  /** `a-b` is the variable of that name if there is one, else a subtraction. */
  function words(token: string, isCalled: boolean): string {
    const name = known.find(
      (candidate) => token.startsWith(candidate) && !/^[\p{L}\p{N}_$]/u.test(token.slice(candidate.length)),
    )
    // A variable may have the name of a function.
    if (name !== undefined && !(isCalled && name === token)) {
      const alias = `variable_${aliases.size}`
      aliases.set(alias, name)
      return alias + rest(token.slice(name.length), isCalled)
    }
    const word = /^[\p{L}\p{N}_$]+/u.exec(token)?.[0] ?? ''
    return word + rest(token.slice(word.length), isCalled)
  }

  function rest(after: string, isCalled: boolean): string {
    const gap = /^[-:]*/.exec(after)?.[0] ?? ''
    // After a dot comes a field or method of the value before it.
    return gap === '' ? after : gap + words(after.slice(gap.length), isCalled)
  }
}

const notVariables: readonly string[] = [...builtInNames, 'true', 'false', 'null', 'in']

const isPlayerFact = (name: string): boolean => playerFactNames.some((one) => one === name)

const byLength = (a: string, b: string): number => b.length - a.length

/** Names of the methods in an expression. Throws for a function that a condition may not call. */
function methodsIn(root: ASTNode, text: string): ReadonlySet<string> {
  const methods = new Set<string>()
  const toVisit = [root]
  for (let node = toVisit.pop(); node; node = toVisit.pop()) {
    if (node.op === 'call') requireAllowed(allowedFunctions.call, node.args[0], text)
    if (node.op === 'rcall') {
      requireAllowed([...allowedFunctions.rcall, ...allowedFunctions.search], node.args[0], text)
      methods.add(node.args[0])
    }
    toVisit.push(...[node.args].flat(3).filter(isNode))
  }
  return methods
}

function requireAllowed(names: readonly string[], name: string, text: string): void {
  if (names.includes(name)) return
  throw new ConditionError(`the condition "${text}" cannot be evaluated: there is no function "${name}"`)
}

/** Every name in an expression, and the type that its position needs. */
function* namesIn(node: ASTNode, type: ValueType): Generator<readonly [name: string, type: ValueType]> {
  if (node.op === 'id') yield [node.args, type]
  else for (const [part, kind] of getParts(node, type)) yield* namesIn(part, kind)
}

/** The operands of an expression, and the type that each must have. */
function getParts(node: ASTNode, type: ValueType): (readonly [ASTNode, ValueType])[] {
  switch (node.op) {
    case '&&':
    case '||':
      return node.args.map((side) => [side, 'boolean'])
    case '!_':
      return [[node.args, 'boolean']]
    case '-_':
      return [[node.args, 'number']]
    case '?:':
      return [
        [node.args[0], 'boolean'],
        [node.args[1], type],
        [node.args[2], type],
      ]
    case 'list':
      return node.args.map((part) => [part, 'text'])
    case 'in': {
      const [one, many] = node.args
      const first = many.op === 'list' ? many.args[0] : undefined
      return [
        [one, (first && findKind(first)) ?? 'text'],
        [many, 'text'],
      ]
    }
    case 'call':
      return node.args[1].map((part) => [part, 'text'])
    case 'rcall': {
      const [, receiver, parts] = node.args
      return [receiver, ...parts].map((part) => [part, 'text'])
    }
    default:
  }
  if (!isComparison(node)) return [node.args].flat(3).flatMap((part) => (isNode(part) ? [[part, 'text'] as const] : []))
  const [left, right] = node.args
  const otherwise = ['==', '!=', '+'].includes(node.op) ? 'text' : 'number'
  return [
    [left, findKind(right) ?? otherwise],
    [right, findKind(left) ?? otherwise],
  ]
}

const comparisons = ['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'] as const
type Comparison = Extract<ASTNode, { readonly op: (typeof comparisons)[number] }>

const isNode = (part: unknown): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part

const isComparison = (node: ASTNode): node is Comparison => (comparisons as readonly string[]).includes(node.op)

/** The type of an expression, as far as it is known statically. */
function findKind(node: ASTNode): ValueType | undefined {
  switch (node.op) {
    case 'value':
      return kinds[typeof node.args]
    case 'id':
      if (isPlayerFact(node.args)) return 'number'
      return node.args === 'success' ? 'boolean' : undefined
    case '+':
      return findKind(node.args[0]) ?? findKind(node.args[1])
    case '-':
    case '*':
    case '/':
    case '%':
    case '-_':
      return 'number'
    case 'call':
      return { size: 'number', int: 'number', double: 'number', file_exists: 'boolean', in_path: 'boolean' }[
        node.args[0]
      ] as ValueType | undefined
    case 'rcall':
      return { size: 'number', contains: 'boolean', startsWith: 'boolean', endsWith: 'boolean' }[node.args[0]] as
        | ValueType
        | undefined
    case '!_':
    case '&&':
    case '||':
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'in':
      return 'boolean'
    default:
      return undefined
  }
}

const kinds: Readonly<Record<string, ValueType>> = {
  string: 'text',
  number: 'number',
  bigint: 'number',
  boolean: 'boolean',
}

/**
 * Converts a value to the type that its position needs. Text that is not a number stays text, and is equal to no
 * number.
 */
/** How variables of type `boolean` write on and off. */
const onWords = ['true', '1', 'yes', 'on']
const offWords = ['false', '0', 'no', 'off', '']

function valueAs(type: ValueType, text: string, name: string): unknown {
  const plain = text.trim()
  if (type === 'boolean') {
    const word = plain.toLowerCase()
    if (onWords.includes(word)) return true
    if (offWords.includes(word)) return false
    throw new ConditionError(`the variable ${name} is "${text}", which is neither true nor false`)
  }
  if (type === 'number') {
    if (plain === '') return 0n
    if (/^[+-]?\d+$/.test(plain)) return BigInt(plain)
    if (/^[+-]?\d*\.\d+$/.test(plain)) return Number(plain)
  }
  return text
}

function failure(text: string, error: unknown, aliases: ReadonlyMap<string, string> = new Map()): ConditionError {
  if (error instanceof ConditionError) return error
  const cause = error instanceof Error && error.cause instanceof ConditionError ? error.cause : undefined
  if (cause) return cause
  const summary = error instanceof Error && 'summary' in error ? String(error.summary) : String(error)
  const words = summary
    .replace(/variable_\d+/g, (alias) => aliases.get(alias) ?? alias)
    .replace('Unknown variable:', 'there is no variable')
  return new ConditionError(`the condition "${text}" cannot be evaluated: ${words}`, { cause: error })
}
