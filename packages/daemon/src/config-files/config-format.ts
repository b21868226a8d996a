import { compilePattern } from '@innkeeper/contract/text/pattern'

/** A value of a configuration file. Formats without types only have strings; `bigint` is for what a number cannot hold. */
export type Scalar = string | number | bigint | boolean | null

/** Names and positions from the top of a file to one value. */
export type Path = readonly (string | number)[]

/** A value of a file and where it is. Empty lists and objects are entries, too. */
export interface Entry {
  readonly path: Path
  readonly value: Scalar | typeof emptyCollection
}
export const emptyCollection = Symbol('empty collection')

/** Replaces the text from `start` to `end`. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** How a file is written; it must be kept. */
export interface TextStyle {
  readonly lineEnd: '\n' | '\r\n'
  /** Whether the file has only ASCII, or is in an unknown encoding: other characters are then escaped where possible. */
  readonly isAscii: boolean
}

/**
 * A format of configuration files. A change is a splice of the text, so that all other bytes stay. `parse` throws when
 * the text is not valid, `splices` when the change is not possible, both with a message for users.
 */
export interface ConfigFormat<T> {
  parse(text: string): T
  /** All values in their order. */
  entries(parsed: T): Entry[]
  /** The places that a path of a step means. */
  find(parsed: T, path: string): Path[]
  /** The value as the file will have it when `value` is written over `current`, which is undefined when missing. */
  valueToWrite(value: Scalar, current: Entry['value'] | undefined): Scalar
  /** Sets one value, and adds what is missing. */
  splices(parsed: T, path: Path, value: Scalar, style: TextStyle): Splice[]
}

/** Why a change is not made, as a message for users. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** In formats without types every value is text. */
export const textOfScalar = (value: Scalar): string => (value === null ? '' : String(value))

/** A change of one value, or of all values that a path with `*` means. */
export interface ConfigChange {
  readonly path: string
  readonly value: Scalar
  /** Only where the value was this text; after `regex:` a pattern, whose groups are `$1` in `value`. */
  readonly when?: string | undefined
}

/** The new value, or undefined when the condition of the change does not hold. */
export function wantedValue({ value, when }: ConfigChange, current: Entry['value'] | undefined): Scalar | undefined {
  if (when === undefined) return value
  if (current === undefined || typeof current === 'symbol') return undefined
  const text = getText(current)
  if (!when.startsWith('regex:')) return text === when ? value : undefined
  const matcher = compileCondition(when.slice('regex:'.length)).matcher(text)
  // The part that matches is replaced, as in Go.
  return matcher.find() ? matcher.replaceAll(javaGroups(getText(value))) : undefined
}

function compileCondition(source: string) {
  try {
    return compilePattern(source)
  } catch (cause) {
    throw new ConfigError(`"${source}" is not a valid pattern`, { cause })
  }
}

/** Only `$` with digits is a group; other `$` and `\` are text. */
const javaGroups = (text: string): string => text.replace(/\\|\$(?!\d)/g, (char) => `\\${char}`)

const getText = (value: Scalar): string => (value === null ? 'null' : String(value))

export function applySplices(text: string, splices: readonly Splice[]): string {
  return splices
    .toSorted((a, b) => b.start - a.start)
    .reduce((changed, { start, end, text: part }) => changed.slice(0, start) + part + changed.slice(end), text)
}
