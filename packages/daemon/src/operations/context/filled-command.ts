import { splitCommand, substitute } from '@innkeeper/contract/definitions/command-line'
import { mask } from '@innkeeper/contract/definitions/console-commands'
import { variablesIn } from '@innkeeper/contract/definitions/docker'
import {
  getVariableType,
  isConcealed,
  isUserEditable,
  type Variable,
  type Variables,
} from '@innkeeper/contract/definitions/variables'

/** A text for a process in which values of variables are filled in that users may choose, or that name files. */
export interface FilledText {
  readonly text: string
  readonly namesFile: boolean
}

/** A command line after splitting and substitution. */
export interface FilledCommand {
  readonly argv: readonly string[]
  /** For the console: secrets, and values that users may not see, are masked. */
  readonly shown: string
  /** The arguments with values of users. */
  readonly chosen: readonly FilledText[]
}

/** Split before substitution: a value is never more than one argument. `variables` describe the values. */
export function fillCommand(
  line: string,
  values: ReadonlyMap<string, string>,
  variables: Variables = {},
): FilledCommand {
  const parts = splitCommand(line)
  const shownValues = new Map(
    [...values].map(([name, value]) => [name, isConcealed(name, own(variables, name)) ? mask : value]),
  )
  return {
    argv: parts.map((part) => substitute(part, values)),
    shown: parts.map((part) => substitute(part, shownValues)).join(' '),
    chosen: chosenTexts(parts, values, variables),
  }
}

/** Fills in the texts that contain values of users, or paths. */
export function chosenTexts(
  texts: readonly string[],
  values: ReadonlyMap<string, string>,
  variables: Variables,
): readonly FilledText[] {
  return texts.flatMap((text) => {
    const used = variablesIn(text)
      .map((name) => own(variables, name))
      .filter((variable) => variable !== undefined)
    const namesFile = used.some((variable) => getVariableType(variable) === 'path')
    const isChosen = used.some((variable) => getVariableType(variable) === 'string' && isUserEditable(variable))
    return namesFile || isChosen ? [{ text: substitute(text, values), namesFile }] : []
  })
}

function own(variables: Variables, name: string): Variable | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined
}
