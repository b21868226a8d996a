import { isDeepStrictEqual } from 'node:util'
import { Definition, type Environment, getEnvironments } from '@innkeeper/contract/definitions/definition'
import { adminOnlyVariables, adminOnlyVariablesOfSteps, isOption } from '@innkeeper/contract/definitions/docker'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { validateUse } from '@innkeeper/contract/definitions/value-uses'
import { getText, type Variable } from '@innkeeper/contract/definitions/variables'
import type { Refusal } from '@innkeeper/contract/errors/refusals'

/**
 * Fields that users may choose when they create a server from a template; the environment must be one of the offered
 * ones.
 */
const editableFields = new Set([
  'display',
  'data',
  'environment',
  'supportedEnvironments',
  'run',
  'readme',
  'name',
  'id',
])
const editableRunFields = new Set(['autostart', 'autorestart', 'autorecover', 'restartWhenNotResponding'])

/**
 * Whether a definition equals the template, except for the values of variables. A definition decides what runs on a
 * node, so anything else is for administrators.
 */
export function matchesTemplate(template: Definition, definition: Definition): boolean {
  // First, because most templates are of another type and the comparison parses both definitions.
  if (template.type !== definition.type) return false
  const [expected, actual] = [normalized(template), normalized(definition)]
  const environments = getEnvironments(expected)
  const isAvailable = (environment: Environment) =>
    environments.some((candidate) => isDeepStrictEqual(candidate, environment))
  const guarded = new Set([...environments.flatMap(adminOnlyVariables), ...adminOnlyVariablesOfSteps(expected)])
  return (
    isDeepStrictEqual(without(expected, editableFields), without(actual, editableFields)) &&
    isDeepStrictEqual(without(expected.run, editableRunFields), without(actual.run, editableRunFields)) &&
    isDeepStrictEqual(withoutValues(expected.data, guarded), withoutValues(actual.data, guarded)) &&
    // The default environment is the first in the list.
    (actual.environment == null || isAvailable(actual.environment)) &&
    (actual.supportedEnvironments ?? []).every(isAvailable)
  )
}

/** Returns why a value that differs from the template's is not valid; `undefined` when all are valid. */
export function validateChoices(template: Definition, { data }: Definition): Refusal | undefined {
  for (const [name, { value }] of Object.entries(data)) {
    const variable = Object.hasOwn(template.data, name) ? template.data[name] : undefined
    if (!variable || getText(variable.value) === getText(value)) continue
    const field = `data.${name}`
    const problem =
      validateVariable(name, variable, value, field) ?? validateUse(template, name, variable, value, field)
    if (problem) return problem
  }
  return undefined
}

/** Removes empty keys, as a node does. */
function normalized(definition: Definition): Definition {
  return Definition.parse(JSON.parse(JSON.stringify(definition)))
}

/**
 * Variables without their values. Values of internal variables are kept, as are those that decide on an image, unless
 * they are one of the options.
 */
function withoutValues(data: Definition['data'], guarded: ReadonlySet<string>): Record<string, unknown> {
  const isFree = (name: string, variable: Variable) => !variable.internal && (!guarded.has(name) || isOption(variable))
  const shape = (name: string, variable: Variable) =>
    isFree(name, variable) ? without(variable, new Set(['value'])) : variable
  return Object.fromEntries(Object.entries(data).map(([name, variable]) => [name, shape(name, variable)]))
}

/** Missing, null and empty lists are equal. */
function without(record: object, keys: ReadonlySet<string>): Record<string, unknown> {
  const hasValue = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => !keys.has(key) && hasValue(value)))
}
