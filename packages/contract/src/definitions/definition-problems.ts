import { Refusal } from '../errors/refusals.ts'
import { isInnerPath } from '../text/inner-path.ts'
import { limits } from '../text/limits.ts'
import { isSafeKey } from '../text/names.ts'
import { patternProblem } from '../text/pattern.ts'
import { BackupSettings } from './backup-settings.ts'
import { shorten } from './console-commands.ts'
import { findConsoleEncoding } from './console-encodings.ts'
import { validateContainer } from './container.ts'
import {
  type Definition,
  type Environment,
  findEnvironmentType,
  findReadyPattern,
  isLimitVariable,
  limitNames,
  type Run,
  stopTimeout,
} from './definition.ts'
import { problemOfLiveness } from './liveness.ts'
import { isStepType, type Step } from './operations.ts'
import { invalidPlayerFields } from './player-actions.ts'
import { invalidPlayerPatterns } from './player-patterns.ts'
import { problemOfPrompts } from './prompts.ts'
import { findInvalidQueryField } from './query.ts'
import { findSleepObstacle, sleepMinutes, sleepObstacles } from './sleep.ts'
import { problemOfPatterns } from './validate-variable.ts'
import {
  getText,
  getVariableType,
  isUserEditable,
  maxVariableValueBytes,
  type Variable,
  type Variables,
} from './variables.ts'

/** Linux signal numbers. */
const signals = { min: 1, max: 64 } as const

/**
 * Returns all problems that keep a definition from running as it is, each as a refusal with its `field`. A definition
 * with problems cannot be saved. One that is imported or already stored may have some, and runs as far as possible.
 */
export function problemsOfDefinition(definition: Definition): readonly Refusal[] {
  const { data, run } = definition
  const unusable = unusableDefinition(definition)
  if (unusable) return [unusable]
  return [
    ...problemsOfReadyPattern(run),
    ...problemsOfStop(run),
    ...problemsOfSleep(definition),
    ...problemsOfEncoding(run),
    ...Object.entries(data).flatMap(([name, variable]) => problemsOfVariable(name, variable)),
    ...Object.entries(getStepLists(definition)).flatMap(([list, steps = []]) => problemsOfSteps(list, steps)),
    ...problemsOfEnvironments(definition),
    ...problemsOfBackup(definition),
    ...problemsOfPrompts(definition),
    ...problemsOfQuery(definition),
    ...problemsOfLiveness(definition),
    ...invalidPlayerFields(definition).map((field) => new Refusal('ErrFieldInvalid', { field })),
    ...invalidPlayerPatterns(definition).map((invalid) => new Refusal('ErrFieldInvalid', { ...invalid })),
  ]
}

/**
 * Why a definition is not accepted in any way, not even by an import: it has more steps or variables than any use needs,
 * or a name that reaches a process as something else.
 */
export function unusableDefinition(definition: Definition): Refusal | undefined {
  const { data, run } = definition
  const { stepsPerList, variablesPerDefinition: max } = limits
  for (const [list, steps = []] of Object.entries(getStepLists(definition))) {
    if (steps.length > stepsPerList) return new Refusal('ErrFieldTooLarge', { field: list, max: stepsPerList })
    const at = steps.findIndex(({ type }) => !isSafeKey(type))
    const type = steps[at]?.type
    if (type !== undefined) return new Refusal('ErrMissingFactory', { type, step: at + 1, field: `${list}.${at}.type` })
  }
  for (const [field, names] of [
    ['data', Object.keys(data)],
    ['run.environmentVars', Object.keys(run.environmentVars ?? {})],
  ] as const) {
    if (names.length > max) return new Refusal('ErrFieldTooLarge', { field, max })
    const wrong = names.find((name) => /[=\x00-\x08\x0e-\x1f\x7f]/.test(name))
    if (wrong !== undefined) return new Refusal('ErrFieldInvalid', { field: `${field}.${shorten(wrong, 100)}` })
  }
  return undefined
}

const getStepLists = ({ install, uninstall, run }: Definition) => ({
  install,
  uninstall,
  'run.pre': run.pre,
  'run.post': run.post,
})

/** What an import of a definition warns of: its problems, and environments that cannot be chosen. */
export function warningsOfDefinition(definition: Definition): readonly Refusal[] {
  const types = (definition.supportedEnvironments ?? []).map((one) => findEnvironmentType(one) ?? one.type)
  const repeated = types.flatMap((type, at) =>
    types.indexOf(type) < at ? [new Refusal('ErrFieldInvalid', { field: `supportedEnvironments.${at}.type` })] : [],
  )
  return [...problemsOfDefinition(definition), ...repeated]
}

/** The first problem of a definition on save. */
export function validateDefinition(definition: Definition): Refusal | undefined {
  return problemsOfDefinition(definition)[0]
}

/** Why a ready pattern is not valid. A server with an invalid one counts as online as soon as it runs. */
export function problemsOfReadyPattern(run: Pick<Run, 'readyPattern'>): Refusal[] {
  const reason = patternProblem(findReadyPattern(run) ?? '')
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

function problemsOfPrompts(definition: Definition): Refusal[] {
  const reason = problemOfPrompts(definition)
  return reason === undefined ? [] : [new Refusal('ErrFieldInvalid', { field: 'prompts', reason })]
}

function problemsOfQuery(definition: Definition): Refusal[] {
  const field = findInvalidQueryField(definition)
  return field === undefined ? [] : [new Refusal('ErrFieldInvalid', { field })]
}

function problemsOfLiveness(definition: Definition): Refusal[] {
  const problem = problemOfLiveness(definition)
  return problem ? [new Refusal('ErrFieldInvalid', { ...problem })] : []
}

function problemsOfStop({ stopCode, stopTimeout: seconds }: Run): Refusal[] {
  return [
    ...problemsOfNumber('run.stopCode', stopCode, signals),
    ...problemsOfNumber('run.stopTimeout', seconds, { min: stopTimeout.min, max: stopTimeout.max }),
  ]
}

function problemsOfSleep(definition: Definition): Refusal[] {
  const field = 'run.sleepAfterMinutes'
  const { sleepAfterMinutes } = definition.run
  const obstacle = sleepAfterMinutes ? findSleepObstacle(definition) : undefined
  if (obstacle) return [new Refusal('ErrFieldInvalid', { field, reason: sleepObstacles[obstacle] })]
  return problemsOfNumber(field, sleepAfterMinutes, sleepMinutes)
}

function problemsOfNumber(field: string, value: number | undefined, range: { min: number; max: number }): Refusal[] {
  if (!value || (value >= range.min && value <= range.max)) return []
  return [new Refusal('ErrFieldNotBetween', { field, ...range })]
}

function problemsOfEncoding(run: Run): Refusal[] {
  return findConsoleEncoding(run) === 'unknown' ? [new Refusal('ErrFieldInvalid', { field: 'run.encoding' })] : []
}

function problemsOfVariable(name: string, variable: Variable): Refusal[] {
  const field = `data.${name}`
  const value = getText(variable.value)
  const reason = problemOfPatterns(variable)
  const max = maxVariableValueBytes
  const isOutside = getVariableType(variable) === 'path' && value !== '' && !isInnerPath(value)
  return [
    ...(isOutside ? [new Refusal('ErrFieldNotPath', { field })] : []),
    ...(name === '' || /\s/.test(name) ? [new Refusal('ErrVariableName', { field })] : []),
    ...(new TextEncoder().encode(value).length > max ? [new Refusal('ErrFieldTooLarge', { field, max })] : []),
    ...(reason === undefined ? [] : [new Refusal('ErrFieldInvalid', { field: `${field}.pattern`, reason })]),
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
  const getProblems = (environment: Environment, path: string) => {
    const type = findEnvironmentType(environment)
    if (type === undefined)
      return [new Refusal('ErrUnknownEnvironment', { type: environment.type, field: `${path}.type` })]
    return [
      ...(type === 'docker' ? validateContainer(environment, data, path) : []),
      ...problemsOfLimits(environment, data, path),
    ]
  }
  // The default environment of a template is a copy of an offered one.
  const isCopy = offered.some((candidate) => JSON.stringify(candidate) === JSON.stringify(environment))
  return [
    ...(environment && !isCopy ? getProblems(environment, 'environment') : []),
    ...offered.flatMap((supported, at) => getProblems(supported, `supportedEnvironments.${at}`)),
  ]
}

/** A limit may be a variable that users of the server cannot change. */
function problemsOfLimits({ limits }: Environment, data: Variables, path: string): Refusal[] {
  return limitNames.flatMap((name) => {
    const limit = limits?.[name]
    if (!isLimitVariable(limit)) return []
    const variable = limit.slice(2, -1)
    const found = Object.hasOwn(data, variable) ? data[variable] : undefined
    if (found && !isUserEditable(found)) return []
    return [new Refusal('ErrFieldInvalid', { field: `${path}.limits.${name}`, variable })]
  })
}
