import { RE2JS } from 're2js'
import { limits } from './limits.ts'

/** Sum of counted repetitions. */
const maxRepetitions = 250
/** Size of the compiled program. */
const maxProgramSize = 600
/** The part of a line that is matched. */
export const matchedLineChars = 4_096

/**
 * Regular expressions written by users: RE2 syntax, as in Go. Matching takes linear time, because there are no
 * backreferences and no lookaround.
 */

/** Counted repetitions, which the compiler expands. */
const counted = /\{(\d{0,4})(?:,(\d{0,4}))?\}/g

/** Throws an error with a message for users when the text is not a valid pattern, or one that is too expensive. */
export function compilePattern(text: string): RE2JS {
  if (text.length > limits.patternMax) throw new Error(`it has more than ${limits.patternMax} characters`)
  const counts = [...text.matchAll(counted)].map(([, least, most]) => Math.max(Number(least), Number(most ?? 0)))
  const copies = counts.reduce((sum, count) => sum + count, 0)
  // Compiling would take long, so this is checked first.
  if (copies > maxRepetitions) throw new Error(`the sum of its repetition counts exceeds ${maxRepetitions}`)
  const pattern = compile(text)
  if (pattern.programSize() > maxProgramSize) throw new Error('it is too complex: use fewer repetitions')
  return pattern
}

/** Why a text is not a valid pattern, as a message for users; `undefined` when it is valid. */
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
