import { BackupSettings } from './backup-settings.ts'
import { consoleEncodingOf } from './console-encodings.ts'
import { validateContainer } from './container.ts'
import { type Definition, type Environment, environmentTypeOf, type Run, readyPatternOf } from './definition.ts'
import { isStepType, type Step } from './operations.ts'
import { patternProblem } from './pattern.ts'
import { Refusal } from './refusals.ts'
import { maxVariableValueBytes, textOf } from './variables.ts'

/** Linux signal numbers. */
const signals = { min: 1, max: 64 } as const

/**
 * Returns all problems that keep a definition from running as it is, each as a refusal with its `field`. A definition
 * with problems cannot be saved. One that is imported or already stored may have some, and runs as far as possible.
 */
export function problemsOfDefinition(definition: Definition): readonly Refusal[] {
  const { data, run, install, uninstall } = definition
  const lists = { install, uninstall, 'run.pre': run.pre, 'run.post': run.post }
  return [
    ...problemsOfReadyPattern(run),
    ...problemsOfStop(run),
    ...problemsOfEncoding(run),
    ...Object.entries(data).flatMap(([name, { value }]) => problemsOfVariable(name, textOf(value))),
    ...Object.entries(lists).flatMap(([list, steps = []]) => problemsOfSteps(list, steps)),
    ...problemsOfEnvironments(definition),
    ...problemsOfBackup(definition),
  ]
}

/** The first problem of a definition on save. */
export function validateDefinition(definition: Definition): Refusal | undefined {
  return problemsOfDefinition(definition)[0]
}

/** Why a ready pattern is not valid. A server with an invalid one counts as online as soon as it runs. */
export function problemsOfReadyPattern(run: Pick<Run, 'readyPattern'>): Refusal[] {
  const reason = patternProblem(readyPatternOf(run) ?? '')
  return reason === undefined ? [] : [new Refusal('ErrFieldInvalid', { field: 'run.readyPattern', reason })]
}

function problemsOfBackup({ backup }: Definition): Refusal[] {
  if (backup === undefined || backup === null) return []
  const { success, data, error } = BackupSettings.safeParse(backup)
  if (!success)
    return [new Refusal('ErrFieldInvalid', { field: ['backup', ...(error.issues[0]?.path ?? [])].join('.') })]
  const reason = data.waitFor ? patternProblem(data.waitFor) : undefined
  return reason === undefined ? [] : [new Refusal('ErrFieldInvalid', { field: 'backup.waitFor', reason })]
}

function problemsOfStop({ stopCode }: Run): Refusal[] {
  if (!stopCode || (stopCode >= signals.min && stopCode <= signals.max)) return []
  return [new Refusal('ErrFieldNotBetween', { field: 'run.stopCode', ...signals })]
}

function problemsOfEncoding(run: Run): Refusal[] {
  return consoleEncodingOf(run) === 'unknown' ? [new Refusal('ErrFieldInvalid', { field: 'run.encoding' })] : []
}

function problemsOfVariable(name: string, value: string): Refusal[] {
  const field = `data.${name}`
  const max = maxVariableValueBytes
  return [
    ...(name === '' || /\s/.test(name) ? [new Refusal('ErrVariableName', { field })] : []),
    ...(new TextEncoder().encode(value).length > max ? [new Refusal('ErrFieldTooLarge', { field, max })] : []),
  ]
}

function problemsOfSteps(list: string, steps: readonly Step[]): Refusal[] {
  return steps.flatMap(({ type }, at) => {
    const field = `${list}.${at}.type`
    if (!isStepType(type)) return [new Refusal('ErrMissingFactory', { type, step: at + 1, field })]
    // A start step that starts the server, or an install step that stops it, would deadlock.
    return type === 'power' ? [new Refusal('ErrFieldInvalid', { field })] : []
  })
}

function problemsOfEnvironments({ data, environment, supportedEnvironments }: Definition): Refusal[] {
  const offered = supportedEnvironments ?? []
  const problemsOf = (environment: Environment, path: string) => {
    const type = environmentTypeOf(environment)
    if (type === undefined)
      return [new Refusal('ErrUnknownEnvironment', { type: environment.type, field: `${path}.type` })]
    return type === 'docker' ? validateContainer(environment, data, path) : []
  }
  // The default environment of a template is a copy of an offered one.
  const isCopy = offered.some((candidate) => JSON.stringify(candidate) === JSON.stringify(environment))
  return [
    ...(environment && !isCopy ? problemsOf(environment, 'environment') : []),
    ...offered.flatMap((supported, at) => problemsOf(supported, `supportedEnvironments.${at}`)),
  ]
}
