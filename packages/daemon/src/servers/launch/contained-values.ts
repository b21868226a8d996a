import { relative, resolve } from 'node:path'
import { getVariableType, passedText, type Variables } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isInnerPath } from '@innkeeper/contract/text/inner-path'
import { isRefusal } from '../../errors/refusals.ts'
import { parsePath, rootPath } from '../../files/path/safe-path.ts'
import type { RootFs } from '../../files/root.ts'
import { isWithin, leadsToOthers, parseWords } from '../../operations/context/contained-text.ts'
import type { FilledText } from '../../operations/context/filled-command.ts'

/** Refuses variables of type `path` with a value that is none: it may have been set before the variable had the type. */
export function assertPathVariables(variables: Variables): void {
  for (const [name, variable] of Object.entries(variables)) {
    const text = passedText(variable)
    if (getVariableType(variable) === 'path' && text !== '' && !isInnerPath(text))
      throw new Refusal('ErrFieldNotPath', { field: variable.display || name })
  }
}

/**
 * Refuses texts for a process through which it would use files of other servers or of the node, also where all servers
 * run as one user: values that users chose must not lead into the data directory, and those that name files not through
 * a link out of the server's directory. Throws ErrIllegalFileAccess. `cwd` is the directory of the process.
 */
export async function assertContained(
  texts: readonly FilledText[],
  { files, rootDir, cwd }: { readonly files: RootFs; readonly rootDir: string; readonly cwd: string },
): Promise<void> {
  if (texts.length === 0) return
  const roots = [rootDir, await files.workingDirectory(rootPath)]
  for (const { text, namesFile } of texts) {
    for (const word of parseWords(text)) {
      if (leadsToOthers(word, cwd, roots)) throw new Refusal('ErrIllegalFileAccess', { path: word })
      if (namesFile) await refuseLinkOut(resolve(cwd, word), word, { files, roots })
    }
  }
}

async function refuseLinkOut(
  path: string,
  word: string,
  { files, roots }: { readonly files: RootFs; readonly roots: readonly string[] },
): Promise<void> {
  const root = roots.find((one) => isWithin(path, one))
  if (root === undefined) return
  try {
    await files.stat(parsePath(relative(root, path)))
  } catch (error) {
    if (isRefusal(error, 'ErrIllegalFileAccess')) throw new Refusal('ErrIllegalFileAccess', { path: word })
    // Other text of the argument is no path.
    if (!(error instanceof Refusal)) throw error
  }
}
