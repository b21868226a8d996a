import { Refusal } from '../errors/refusals.ts'
import { conditionProblem } from './conditions.ts'
import { type Definition, getGroups } from './definition.ts'
import type { Step } from './operations.ts'

/** Variable names that conditions of a definition may use: its own variables and those that its steps set. */
function variableNames({ data, install, uninstall, run }: Definition): readonly string[] {
  const steps = [install, uninstall, run.pre, run.post].flatMap((list) => list ?? [])
  return [...Object.keys(data), ...outputVariables(steps)]
}

const outputVariables = (steps: readonly Step[]): readonly string[] =>
  steps.flatMap(({ outputVariable }) => (typeof outputVariable === 'string' ? [outputVariable] : []))

/**
 * Returns ErrFieldInvalid for the first invalid condition of a definition: in steps, commands and groups of variables.
 * Conditions of tasks are validated with the tasks.
 */
export function invalidCondition(definition: Definition): Refusal | undefined {
  const { install, uninstall, run } = definition
  const names = variableNames(definition)
  const lists = { install, uninstall, 'run.pre': run.pre, 'run.post': run.post }
  for (const [field, steps] of Object.entries(lists)) {
    const invalid = invalidStepCondition(steps ?? [], names, field)
    if (invalid) return invalid
  }
  const commands = Array.isArray(run.command) ? run.command : []
  return firstInvalid(commands, names, 'run.command') ?? firstInvalid(getGroups(definition), names, 'groups')
}

/** Returns ErrFieldInvalid for the first step of a list with an invalid condition. `field` names the list. */
export function invalidStepCondition(
  steps: readonly Step[],
  variables: Iterable<string>,
  field: string,
): Refusal | undefined {
  return firstInvalid(steps, [...variables, ...outputVariables(steps)], field)
}

function firstInvalid(
  entries: readonly { readonly [field: string]: unknown }[],
  names: readonly string[],
  field: string,
): Refusal | undefined {
  for (const [at, { if: condition }] of entries.entries()) {
    const reason = typeof condition === 'string' ? conditionProblem(condition, names) : undefined
    if (reason !== undefined) return new Refusal('ErrFieldInvalid', { field: `${field}.${at}.if`, reason })
  }
  return undefined
}
