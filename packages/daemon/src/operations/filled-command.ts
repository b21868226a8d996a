import { splitCommand, substitute } from '@innkeeper/contract/command-line'
import { isSecretName } from '@innkeeper/contract/variables'

/** A command line that was split and filled in. */
export interface FilledCommand {
  readonly argv: readonly string[]
  /** For the console: the values of secrets are stars. */
  readonly shown: string
}

/** Split first, then filled in: a value is never more than one argument. */
export function fillCommand(line: string, values: ReadonlyMap<string, string>): FilledCommand {
  const parts = splitCommand(line)
  const shownValues = new Map([...values].map(([name, value]) => [name, isSecretName(name) ? '***' : value]))
  return {
    argv: parts.map((part) => substitute(part, values)),
    shown: parts.map((part) => substitute(part, shownValues)).join(' '),
  }
}
