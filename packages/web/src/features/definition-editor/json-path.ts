import type { Step } from '@innkeeper/contract/definitions/operations'
import type { z } from 'zod/mini'

/** A definition, or an object in it, as it was parsed: unknown keys and the types of values are kept. */
export type JsonObject = Readonly<Record<string, unknown>>

export type Path = readonly (string | number)[]

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function getIn(raw: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    raw,
  )
}

/** Returns a copy with another value at a path; `undefined` removes the key. The order of keys is kept. */
export function setIn(raw: JsonObject, [key, ...rest]: Path, value: unknown): JsonObject {
  if (key === undefined) return raw
  const child = raw[key]
  const next = rest.length === 0 ? value : setIn(isObject(child) ? child : {}, rest, value)
  if (next !== undefined) return { ...raw, [key]: next }
  const { [key]: _, ...others } = raw
  return others
}

/** The text for an input: empty for objects, lists and missing values. */
export function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

export function getText(raw: JsonObject, path: Path): string {
  return toText(getIn(raw, path))
}

/** Sets an optional field from an input: an empty text removes it. */
export function setText(raw: JsonObject, path: Path, text: string): JsonObject {
  return setIn(raw, path, text === '' ? undefined : keepNumber(getIn(raw, path), text))
}

/** The text, or its number when the previous value was a number. */
export function keepNumber(previous: unknown, text: string): string | number {
  return typeof previous === 'number' && isIntegerText(text) ? Number(text) : text
}

/** Whether the text is an integer that a number holds exactly. */
export function isIntegerText(text: string): boolean {
  return /^-?(0|[1-9]\d{0,14})$/.test(text)
}

export function getLines(raw: JsonObject, path: Path): readonly string[] {
  const lines = getIn(raw, path)
  return Array.isArray(lines) ? lines.map(toText) : typeof lines === 'string' ? [lines] : []
}

export function toBoolean(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
}

export function getSteps(raw: JsonObject, path: Path): readonly Step[] {
  const steps = getIn(raw, path)
  return Array.isArray(steps) ? (steps as Step[]) : []
}

export function formatJson(raw: JsonObject): string {
  return JSON.stringify(raw, null, 2)
}

/** Compares including the order of keys, which is the order of variables in forms. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** Returns the JSON typed as input of the schema, with the keys that the schema would drop. @throws when it is invalid. */
export function assertValid<S extends z.ZodMiniType>(schema: S, raw: JsonObject): z.input<S> {
  schema.parse(raw)
  return raw as z.input<S>
}
