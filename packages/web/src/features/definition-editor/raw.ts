import type { Step } from '@innkeeper/contract/operations'
import type { z } from 'zod'

/** A definition as it was read: what the editor does not know, and how values are written, stays as it is. */
export type Raw = Readonly<Record<string, unknown>>

export type Path = readonly (string | number)[]

export function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function partAt(raw: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (part, name) => (isObject(part) || Array.isArray(part) ? Reflect.get(part, name) : undefined),
    raw,
  )
}

/** The object with another value at a place; `undefined` takes the key away. Keys keep their order. */
export function withPart(raw: Raw, [name, ...rest]: Path, value: unknown): Raw {
  if (name === undefined) return raw
  const held = raw[name]
  const next = rest.length === 0 ? value : withPart(isObject(held) ? held : {}, rest, value)
  if (next !== undefined) return { ...raw, [name]: next }
  const { [name]: _, ...others } = raw
  return others
}

/** As a text field shows it. */
export function textAt(raw: Raw, path: Path): string {
  return textOfAny(partAt(raw, path))
}

export function textOfAny(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** A text as it stands for what was there: a number stays one while it is one. */
export function typedLike(before: unknown, text: string): string | number {
  return typeof before === 'number' && isWhole(text) ? Number(text) : text
}

/** A text that a number can hold without loss. */
export function isWhole(text: string): boolean {
  return /^-?(0|[1-9]\d{0,14})$/.test(text)
}

/** With the text of a field that may be missing: an empty one is taken away. */
export function withTextAt(raw: Raw, path: Path, text: string): Raw {
  return withPart(raw, path, text === '' ? undefined : typedLike(partAt(raw, path), text))
}

export function linesAt(raw: Raw, path: Path): readonly string[] {
  const lines = partAt(raw, path)
  return Array.isArray(lines) ? lines.map(textOfAny) : typeof lines === 'string' ? [lines] : []
}

export function flagOf(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
}

export function stepsAt(raw: Raw, path: Path): readonly Step[] {
  const steps = partAt(raw, path)
  return Array.isArray(steps) ? (steps as Step[]) : []
}

export function formatRaw(raw: Raw): string {
  return JSON.stringify(raw, null, 2)
}

export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** A definition as a call takes it: the schema can read it, and it goes out as it is. @throws when it cannot. */
export function proven<S extends z.ZodType>(schema: S, raw: Raw): z.input<S> {
  schema.parse(raw)
  return raw as z.input<S>
}
