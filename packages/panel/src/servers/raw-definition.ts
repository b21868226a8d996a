import { isDeepStrictEqual } from 'node:util'
import { Definition, type Environment, environmentsOf } from '@innkeeper/contract/definition'
import { adminOnlyVariables, isOption } from '@innkeeper/contract/docker'
import type { Refusal } from '@innkeeper/contract/refusals'
import { validateUse } from '@innkeeper/contract/value-uses'
import { textOf, type Variable, validateVariable } from '@innkeeper/contract/variables'

/** What a person may choose freely when they make a server of a template; the environment is one of those it offers. */
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
const editableRunFields = new Set(['autostart', 'autorestart', 'autorecover'])

/**
 * Whether a definition is what the template says, but for the values of its variables. A definition decides what runs on
 * a node, so that anything else is for administrators.
 */
export function matchesTemplate(template: Definition, given: Definition): boolean {
  const [model, made] = [normalized(template), normalized(given)]
  const offered = environmentsOf(model)
  const isOffered = (environment: Environment) => offered.some((one) => isDeepStrictEqual(one, environment))
  const guarded = new Set(offered.flatMap(adminOnlyVariables))
  return (
    isDeepStrictEqual(without(model, editableFields), without(made, editableFields)) &&
    isDeepStrictEqual(without(model.run, editableRunFields), without(made.run, editableRunFields)) &&
    isDeepStrictEqual(shapes(model.data, guarded), shapes(made.data, guarded)) &&
    // Without an environment of its own it runs in the first that it offers.
    (made.environment == null || isOffered(made.environment)) &&
    (made.supportedEnvironments ?? []).every(isOffered)
  )
}

/** Why a value that differs from the template's does not fit; `undefined` when all fit. */
export function validateChoices(template: Definition, { data }: Definition): Refusal | undefined {
  for (const [name, { value }] of Object.entries(data)) {
    const variable = Object.hasOwn(template.data, name) ? template.data[name] : undefined
    if (!variable || textOf(variable.value) === textOf(value)) continue
    const field = `data.${name}`
    const objection =
      validateVariable(name, variable, value, field) ?? validateUse(template, name, variable, value, field)
    if (objection) return objection
  }
  return undefined
}

/** As it would come back from a node: without keys that stand for nothing. */
function normalized(definition: Definition): Definition {
  return Definition.parse(JSON.parse(JSON.stringify(definition)))
}

/**
 * The variables without their values; one that is never shown to users keeps its value too, and one that decides on an
 * image unless it is a choice.
 */
function shapes(data: Definition['data'], guarded: ReadonlySet<string>): Record<string, unknown> {
  const isFree = (name: string, variable: Variable) => !variable.internal && (!guarded.has(name) || isOption(variable))
  const shape = (name: string, variable: Variable) =>
    isFree(name, variable) ? without(variable, new Set(['value'])) : variable
  return Object.fromEntries(Object.entries(data).map(([name, variable]) => [name, shape(name, variable)]))
}

/** Nothing and an empty list say the same as a missing key. */
function without(whole: object, keys: ReadonlySet<string>): Record<string, unknown> {
  const says = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(whole).filter(([key, value]) => !keys.has(key) && says(value)))
}
