import { isUtf8 } from 'node:buffer'
import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { limits } from '@innkeeper/contract/text/limits'
import { formatPath, parsePath } from '../../files/path/safe-path.ts'
import { parsePatternText } from '../context/replace.ts'
import type { PreparedStep } from '../context/step-context.ts'

/** Timeout of one search and replace. */
const replaceTimeoutMs = 5_000

/**
 * Replaces all matches of a regular expression or text in a file. The replacement is literal. Invalid UTF-8 in the file
 * is kept.
 */
export function alterFile({ file, search, replace, regex }: StepFields<'alterfile'>): PreparedStep {
  const path = parsePath(file)
  const pattern = regex ? parsePatternText(search) : undefined

  return async (context) => {
    context.say(`Changing file: ${formatPath(path)}`)
    const before = await context.files.readFile(path, limits.editableFileBytes)
    const encoding = isUtf8(before) ? 'utf8' : 'latin1'
    const text = before.toString(encoding)
    const inFile = (words: string) => (encoding === 'utf8' ? words : Buffer.from(words).toString('latin1'))

    const compiled = pattern && { ...pattern, source: inFile(pattern.source) }
    const after = compiled
      ? await context.regexWorker.replace(replaceTimeoutMs, text, compiled, inFile(replace))
      : text.replaceAll(inFile(search), () => inFile(replace))

    if (after === text) return context.say(`Nothing to change in ${formatPath(path)}`)
    if (after.length > limits.editableFileBytes) throw new Error(`${formatPath(path)} would become too large`)
    await context.files.writeFile(path, Buffer.from(after, encoding))
  }
}
