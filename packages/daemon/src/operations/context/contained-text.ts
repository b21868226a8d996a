import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { variablesIn } from '@innkeeper/contract/definitions/docker'
import type { Step } from '@innkeeper/contract/definitions/operations'
import { getVariableType, isUserEditable } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { StepContext } from './step-context.ts'

/** The parts of a text that a program could use as a path. */
export function parseWords(text: string): ReadonlySet<string> {
  const words = [text, ...text.split(/[\s:;,=?&"'|<>()@]+/)]
  return new Set(words.filter((word) => word !== '' && !word.includes('\0')))
}

/**
 * Whether a path leads to files of other servers or of the node, for a program in `cwd`. Processes are reachable through
 * `/proc`, and so are their directories. `roots` are the names of the server's directory.
 */
export function leadsToOthers(word: string, cwd: string, roots: readonly string[]): boolean {
  const [root = cwd] = roots
  const path = resolve(cwd, word.replace(/^~(?=\/|$)/, root))
  if (isWithin(path, '/proc')) return true
  if (roots.some((one) => isWithin(path, one))) return false
  return roots.some((one) => isWithin(path, getDataDirectory(one)))
}

/** Refuses a step that writes values of users for a program which would lead it to other servers, wherever it runs. */
export function assertWrittenValues(
  step: Step,
  { values, variables = {}, conditionContext }: Pick<StepContext, 'values' | 'variables' | 'conditionContext'>,
): void {
  if (conditionContext.env === 'docker') return
  const written = { writefile: step.text, alterfile: step.replace, editconfig: step.changes }[step.type]
  const root = values.get('rootDir')
  if (written === undefined || root === undefined) return
  for (const name of variablesIn(JSON.stringify(written))) {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (!variable || getVariableType(variable) !== 'string' || !isUserEditable(variable)) continue
    const found = [...parseWords(values.get(name) ?? '')].some((word) => namesOther(word, root))
    if (found) throw new Refusal('ErrIllegalFileAccess', { path: name })
  }
}

/** Without a known directory of the program: an absolute path, or one that goes up and then into the folder of another server. */
function namesOther(word: string, root: string): boolean {
  if (isAbsolute(word)) return leadsToOthers(word, root, [root])
  const [, below] = /^(?:\.\.\/+)+([^/]+)/.exec(word) ?? []
  return below !== undefined && /^[0-9a-f]{8}$/.test(below) && below !== root.split('/').at(-1)
}

/** The directory of a server is two levels below that of the node. */
function getDataDirectory(root: string): string {
  return [dirname(dirname(root)), dirname(root), root].find((path) => path !== '/') ?? root
}

export function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path)
  return below === '' || !(below === '..' || below.startsWith('../') || isAbsolute(below))
}
