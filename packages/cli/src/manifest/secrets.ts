import { isSecretName } from '@innkeeper/contract/definitions/variables'
import type { ScalarTag } from 'yaml'

/** Stands for the value of a secret that is not in the file: `!secret`. */
export const secretPlaceholder = Symbol('secret')

type Values = Readonly<Record<string, unknown>>

/** Replaces secrets by placeholders: text, and values of variables, whose name is that of a secret. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hideSecret(key, part)]))
}

function hideSecret(key: string, part: unknown): unknown {
  if (!isSecretName(key)) return withoutSecrets(part)
  if (isSecret(part)) return secretPlaceholder
  return isRecord(part) && isSecret(part.value)
    ? { ...(withoutSecrets(part) as Values), value: secretPlaceholder }
    : withoutSecrets(part)
}

const isSecret = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number'

/** Replaces placeholders by the current values; one without a value is left out. */
export function withSecrets(value: unknown, current: unknown): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((part, at) => {
      const restored = withSecrets(part, Array.isArray(current) ? current[at] : undefined)
      return restored === undefined ? [] : [restored]
    })
  }
  if (value === secretPlaceholder) return current
  if (!isRecord(value)) return value
  const entries = Object.entries(value).flatMap(([key, part]) => {
    const known = isRecord(current) && Object.hasOwn(current, key) ? current[key] : undefined
    const restored = withSecrets(part, known)
    return restored === undefined ? [] : [[key, restored] as const]
  })
  return Object.fromEntries(entries)
}

export function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text after the tag in an export. */
const unchanged = 'unchanged'

/** `!secret` or `!secret unchanged`: a value that is not in the file. */
export const secretTag: ScalarTag = {
  tag: '!secret',
  identify: (value) => value === secretPlaceholder,
  resolve: (text, onError) => {
    if (text !== '' && text !== unchanged) onError('Write a new value without !secret, which keeps the current one.')
    return secretPlaceholder
  },
  stringify: () => unchanged,
}
