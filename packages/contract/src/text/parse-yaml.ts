import { LineCounter, parseDocument } from 'yaml'
import { limits } from './limits.ts'

/** Nodes that aliases may add, so that a small text cannot become a huge value. */
const maxAliases = 100
/** The parser calls itself for each level, and a list or key in the same line is a level, too. */
const tooDeep = /(?:[-?:][ \t]+){200}|^[ \t]{1000}/m

/** A text that is not valid YAML, or that needs too much memory or too many levels. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
  /** From 1. */
  readonly line: number
  readonly column: number

  constructor(message: string, { line, column }: { readonly line: number; readonly column: number }) {
    super(message)
    this.line = line
    this.column = column
  }
}

/**
 * Parses a YAML document of at most `limits.yamlBytes`. Of keys that are there twice, the last one counts.
 * @throws YamlError
 */
export function parseYaml(text: string): unknown {
  const begin = { line: 1, column: 1 }
  if (text.length > limits.yamlBytes) throw new YamlError(`The text has more than ${limits.yamlBytes} bytes.`, begin)
  if (tooDeep.test(text)) throw new YamlError('The text has too many levels.', begin)
  const lines = new LineCounter()
  // Looking for the same key in a map takes time by the square of its size.
  const options = { lineCounter: lines, stringKeys: true, uniqueKeys: false, prettyErrors: false }
  try {
    const document = parseDocument(text.replace(/^\uFEFF/, ''), options)
    const [error] = document.errors
    if (!error) return document.toJS({ maxAliasCount: maxAliases }) as unknown
    const { line, col } = lines.linePos(error.pos[0])
    throw new YamlError(error.message, { line, column: col })
  } catch (error) {
    // Too many aliases or levels.
    if (error instanceof ReferenceError || error instanceof RangeError) throw new YamlError(error.message, begin)
    throw error
  }
}
