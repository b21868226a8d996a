import { isSecretName } from '@innkeeper/contract/definitions/variables'
import { isRecord } from './secrets.ts'

const maxShown = 80

/** A line for each value that differs: `motd: "A" → "B"`. Missing, null and empty lists are equal; secrets are hidden. */
export function differences(before: unknown, after: unknown, path: readonly string[] = []): readonly string[] {
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => differences(own(before, name), own(after, name), [...path, name]))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((value, at) => differences(value, after[at], [...path, String(at + 1)]))
  if (isNothing(before) && isNothing(after)) return []
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [getLine(path, before, after)]
}

function getLine(path: readonly string[], before: unknown, after: unknown): string {
  const isHidden = path.some(isSecretName)
  const show = (value: unknown) => (isNothing(value) ? 'nothing' : isHidden ? '(secret)' : formatValue(value))
  return `${path.join('.')}: ${show(before)} → ${show(after)}`
}

/** JSON, shortened. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > maxShown ? `${text.slice(0, maxShown - 1)}…` : text
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function own(values: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}
