import { parseJsonOrUndefined } from '../text/parse-json.ts'

/** As in the schema of definitions. */
const maxPatterns = 200
const maxLength = 500

/** The patterns of files that users may not use: a list, or a text with JSON or with one pattern in a line. */
export function getDeniedFiles(input: unknown): string[] {
  const list = typeof input === 'string' ? (parseJsonOrUndefined(input) ?? input.split(/\r?\n/)) : input
  if (!Array.isArray(list)) return []
  return list
    .filter((pattern) => typeof pattern === 'string' && pattern.trim() !== '' && pattern.length <= maxLength)
    .slice(0, maxPatterns)
}
