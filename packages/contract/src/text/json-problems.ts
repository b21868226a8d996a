import { Refusal } from '../errors/refusals.ts'

/** An object or list that a scan of JSON text is in. */
interface Level {
  /** The keys so far; undefined for a list. */
  readonly keys: Set<string> | undefined
  /** The key or index of the current value. */
  name: string
}

/**
 * Throws ErrFieldInvalid with the place of a key that an object has twice, of which all but the last would be ignored, or
 * of a number that is too large to be one, which would become `null`. `text` must be valid JSON.
 */
export function assertUnambiguousJson(text: string): void {
  const levels: Level[] = []
  let isKeyNext = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    const level = levels.at(-1)
    if (char === '{' || char === '[') {
      levels.push({ keys: char === '{' ? new Set() : undefined, name: '0' })
      isKeyNext = char === '{'
    } else if (char === '}' || char === ']') {
      levels.pop()
      isKeyNext = false
    } else if (char === ',') {
      if (level && !level.keys) level.name = String(Number(level.name) + 1)
      isKeyNext = level?.keys !== undefined
    } else if (char === '"') {
      const end = endOfString(text, at)
      if (isKeyNext && level) enterKey(levels, level, text.slice(at, end + 1))
      isKeyNext = false
      at = end
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const end = endOfNumber(text, at)
      if (!Number.isFinite(Number(text.slice(at, end)))) throw problem(levels, 'the number is too large')
      at = end - 1
    }
  }
}

function enterKey(levels: readonly Level[], level: Level, literal: string): void {
  level.name = String(JSON.parse(literal))
  if (level.keys?.has(level.name)) throw problem(levels, 'the key is there twice')
  level.keys?.add(level.name)
}

function problem(levels: readonly Level[], reason: string): Refusal {
  const field = levels.map(({ name }) => name).join('.')
  return new Refusal('ErrFieldInvalid', { field: field.slice(0, 500), reason })
}

/** The index of the closing quotation mark. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1
  return at
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && /[\d.eE+-]/.test(text.charAt(at))) at++
  return at
}
