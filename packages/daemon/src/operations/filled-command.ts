import { splitCommand, substitute } from '@innkeeper/contract/command-line'
import { isSecretName } from '@innkeeper/contract/variables'

/** A command line after splitting and substitution. */
export interface FilledCommand {
  readonly argv: readonly string[]
  /** For the console: secrets are masked. */
  readonly shown: string
}

/** Split before substitution: a value is never more than one argument. */
export function fillCommand(line: string, values: ReadonlyMap<string, string>): FilledCommand {
  const parts = splitCommand(line)
  const shownValues = new Map([...values].map(([name, value]) => [name, isSecretName(name) ? '***' : value]))
  return {
    argv: parts.map((part) => substitute(part, values)),
    shown: parts.map((part) => substitute(part, shownValues)).join(' '),
  }
}
