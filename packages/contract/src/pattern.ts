import { RE2JS } from 're2js'
import { limits } from './limits.ts'

/**
 * Patterns that people write: RE2, as in Go. Matching takes time linear in the text, because there are no references back
 * and no looking around.
 */

/** Repetitions with a count, which are copied as often when a pattern is compiled. */
const counted = /\{(\d{0,4})(?:,(\d{0,4}))?\}/g

/** Throws, with words for people, when the text is no pattern, or one that would take much time and memory. */
export function compilePattern(text: string): RE2JS {
  if (text.length > limits.patternMax) throw new Error(`it is longer than ${limits.patternMax} characters`)
  const counts = [...text.matchAll(counted)].map(([, least, most]) => Math.max(Number(least), Number(most ?? 0)))
  const copies = counts.reduce((sum, count) => sum + count, 0)
  // Compiling is what would take long: this is known before.
  if (copies > limits.patternCopies) throw new Error(`its counts add up to more than ${limits.patternCopies}`)
  const pattern = compile(text)
  if (pattern.programSize() > limits.patternProgram) throw new Error('it is too complex: repeat less')
  return pattern
}

/** Why a text is no pattern, in words for people; `undefined` when it is one. */
export function patternProblem(text: string): string | undefined {
  try {
    compilePattern(text)
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

function compile(text: string): RE2JS {
  try {
    return RE2JS.compile(text)
  } catch (cause) {
    throw new Error(cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : String(cause), {
      cause,
    })
  }
}
