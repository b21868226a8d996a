import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'

/**
 * Reads a JSON body. Keys that would reach into objects' prototypes, and nesting deeper than any real body, are refused
 * before anything walks over them.
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined
  if (depthOf(text) > limits.jsonDepth) throw new Refusal('ErrInvalidJson')
  try {
    // The name can hide behind escapes. Looking at each key is slow, and almost no body needs it.
    return /__proto__|\\u/.test(text) ? JSON.parse(text, refuseProto) : JSON.parse(text)
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('ErrInvalidJson', {}, { cause: error })
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new Refusal('ErrInvalidJson')
  return value
}

/** How deep lists and objects are nested in a text, without building them. */
function depthOf(text: string): number {
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
