import { objectionsToContainer } from './container.ts'
import { type Definition, type Environment, environmentTypeOf, type Run, readyPatternOf } from './definition.ts'
import { limits } from './limits.ts'
import { isStepType, type Step } from './operations.ts'
import { patternProblem } from './pattern.ts'
import { Refusal } from './refusals.ts'
import { textOf } from './variables.ts'

/** Signals of Linux by number. */
const signals = { min: 1, max: 64 } as const

/**
 * Everything that keeps a definition from running as it is written, beyond its shape: each a refusal with the `field`. A
 * definition that is saved must have none. One that is imported, or here already, may, and runs as far as it can.
 */
export function problemsOfDefinition(definition: Definition): readonly Refusal[] {
  const { data, run, install, uninstall } = definition
  const lists = { install, uninstall, 'run.pre': run.pre, 'run.post': run.post }
  return [
    ...problemsOfReadyPattern(run),
    ...problemsOfStop(run),
    ...Object.entries(data).flatMap(([name, { value }]) => problemsOfVariable(name, textOf(value))),
    ...Object.entries(lists).flatMap(([list, steps = []]) => problemsOfSteps(list, steps)),
    ...problemsOfEnvironments(definition),
  ]
}

/** The first problem of a definition that somebody saves. */
export function objectionToDefinition(definition: Definition): Refusal | undefined {
  return problemsOfDefinition(definition)[0]
}

/** Why a ready pattern is none; its server counts as online once it runs. */
export function problemsOfReadyPattern(run: Pick<Run, 'readyPattern'>): Refusal[] {
  const reason = patternProblem(readyPatternOf(run) ?? '')
  return reason === undefined ? [] : [new Refusal('ErrFieldInvalid', { field: 'run.readyPattern', reason })]
}

function problemsOfStop({ stopCode }: Run): Refusal[] {
  if (!stopCode || (stopCode >= signals.min && stopCode <= signals.max)) return []
  return [new Refusal('ErrFieldNotBetween', { field: 'run.stopCode', ...signals })]
}

function problemsOfVariable(name: string, value: string): Refusal[] {
  const field = `data.${name}`
  const max = limits.variableValueBytes
  return [
    ...(name === '' || /\s/.test(name) ? [new Refusal('ErrVariableName', { field })] : []),
    ...(new TextEncoder().encode(value).length > max ? [new Refusal('ErrFieldTooLarge', { field, max })] : []),
  ]
}

function problemsOfSteps(list: string, steps: readonly Step[]): Refusal[] {
  return steps.flatMap(({ type }, at) => {
    const field = `${list}.${at}.type`
    if (!isStepType(type)) return [new Refusal('ErrMissingFactory', { type, step: at + 1, field })]
    // A start that starts a server, or an install that stops it, would wait for itself.
    return type === 'power' ? [new Refusal('ErrFieldInvalid', { field })] : []
  })
}

function problemsOfEnvironments({ data, environment, supportedEnvironments }: Definition): Refusal[] {
  const offered = supportedEnvironments ?? []
  const problemsOf = (one: Environment, path: string) => {
    const type = environmentTypeOf(one)
    if (type === undefined) return [new Refusal('ErrUnknownEnvironment', { type: one.type, field: `${path}.type` })]
    return type === 'docker' ? objectionsToContainer(one, data, path) : []
  }
  // The default of a template is a copy of one that it offers.
  const isCopy = offered.some((one) => JSON.stringify(one) === JSON.stringify(environment))
  return [
    ...(environment && !isCopy ? problemsOf(environment, 'environment') : []),
    ...offered.flatMap((one, at) => problemsOf(one, `supportedEnvironments.${at}`)),
  ]
}
