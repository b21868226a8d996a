import { Refusal } from '../errors/refusals.ts'
import { type EscapeFormat, isEscapeFormat, validateWritable } from '../text/escape.ts'
import { splitCommand } from './command-line.ts'
import { isMisusedInPorts } from './container.ts'
import { type Definition, findEnvironmentType, getEnvironment, getEnvironments, type Run } from './definition.ts'
import type { Step } from './operations.ts'
import { getText, getVariableType, type Variable, type VariableValue } from './variables.ts'

/**
 * Returns why a new value of a variable does not fit where the definition uses it: it would be parsed as an option of a
 * command, cannot be written to a file in the format of the step, or is no address or port of a container. `undefined` when it fits. `label` is the display
 * name of the variable.
 */
export function validateUse(
  definition: Definition,
  name: string,
  variable: Variable,
  value: VariableValue | undefined,
  label = name,
): Refusal | undefined {
  const text = getText(value)
  const { install = [], uninstall = [], run } = definition
  const steps = [...install, ...uninstall, ...(run.pre ?? []), ...(run.post ?? [])]
  const lines = [...getCommandLines(run), ...steps.flatMap(getCommands)]
  if (looksLikeOption(text, variable) && lines.some((line) => followsOption(line, name)))
    return new Refusal('ErrFieldLikeOption', { field: label })
  for (const step of steps) {
    const written = writtenBy(step)
    const issue = written?.text.includes(`\${${name}}`) && validateWritable(written.format, text, label)
    if (issue) return issue
  }
  const isMisused = [...getEnvironments(definition), getEnvironment(definition)].some(
    (environment) => findEnvironmentType(environment) === 'docker' && isMisusedInPorts(environment, name, text),
  )
  return isMisused ? new Refusal('ErrFieldInvalid', { field: label }) : undefined
}

/** Only free text can be an accidental option; where the default value is an option, options are intended. */
function looksLikeOption(text: string, variable: Variable): boolean {
  const isNumber = /^[-+]?\d+(?:\.\d+)?$/.test(text)
  return (
    ['string', 'path'].includes(getVariableType(variable)) &&
    /^[-+]/.test(text) &&
    !isNumber &&
    !/^[-+]/.test(getText(variable.value))
  )
}

/** Whether the variable is a whole argument after an option. After `--` there are no options. */
function followsOption(line: string, name: string): boolean {
  const parts = splitCommand(line)
  return parts.some((part, at) => {
    const before = parts[at - 1] ?? ''
    return part === `\${${name}}` && /^[-+]/.test(before) && before !== '--'
  })
}

function getCommandLines({ command, program, arguments: more }: Run): string[] {
  if (Array.isArray(command)) return command.map((alternative) => alternative.command)
  return [command || [program ?? '', ...(more ?? [])].join(' ')]
}

function getCommands({ type, commands }: Step): string[] {
  if (type !== 'command') return []
  return [commands].flat().filter((line) => typeof line === 'string')
}

/** The text that a step writes, and its escape format. */
function writtenBy({ type, escape: format, text, replace }: Step): { text: string; format: EscapeFormat } | undefined {
  const written = type === 'writefile' ? text : type === 'alterfile' ? replace : undefined
  return isEscapeFormat(format) && typeof written === 'string' ? { text: written, format } : undefined
}
