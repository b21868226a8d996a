import { Refusal } from '@innkeeper/contract/errors/refusals'
import { assertUnambiguousJson } from '@innkeeper/contract/text/json-problems'

const maxJsonDepth = 100

/** Parses a JSON body. Also rejects what has no clear meaning, see `assertUnambiguousJson`. */
export function parseRequestJson(text: string): unknown {
  const body = parseUntrustedJson(text)
  if (body !== undefined) assertUnambiguousJson(text)
  return body
}

/** Parses JSON. Rejects keys that could pollute prototypes, and deep nesting. */
export function parseUntrustedJson(text: string): unknown {
  if (text.trim() === '') return undefined
  if (parseDepth(text) > maxJsonDepth) throw new Refusal('ErrInvalidJson')
  try {
    // Keys may be escaped. Checking each key is slow and almost never necessary, so the text is checked first.
    return /__proto__|\\u/.test(text) ? JSON.parse(text, refuseProto) : JSON.parse(text)
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('ErrInvalidJson', {}, { cause: error })
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new Refusal('ErrInvalidJson')
  return value
}

/** The nesting depth of JSON text, without parsing it. */
function parseDepth(text: string): number {
  let [depth, deepest, isText] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    if (isText) {
      if (letter === 0x5c) at++
      else if (letter === 0x22) isText = false
    } else if (letter === 0x22) isText = true
    else if (letter === 0x5b || letter === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (letter === 0x5d || letter === 0x7d) depth--
  }
  return deepest
}
