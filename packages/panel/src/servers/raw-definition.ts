import { isDeepStrictEqual } from 'node:util'
import { Definition, environmentsOf } from '@innkeeper/contract/definition'
import type { Variable } from '@innkeeper/contract/variables'

/** What a person may choose freely when they make a server of a template; the environment is one of those it offers. */
const chosen = new Set(['display', 'data', 'environment', 'supportedEnvironments', 'run', 'readme', 'name', 'id'])
const chosenOfRun = new Set(['autostart', 'autorestart', 'autorecover'])

/**
 * Whether a definition is what the template says, but for the values of its variables. A definition decides what runs on
 * a node, so that anything else is for administrators.
 */
export function isMadeFrom(template: Definition, given: Definition): boolean {
  const [model, made] = [plain(template), plain(given)]
  return (
    isDeepStrictEqual(without(model, chosen), without(made, chosen)) &&
    isDeepStrictEqual(without(model.run, chosenOfRun), without(made.run, chosenOfRun)) &&
    isDeepStrictEqual(shapes(model.data), shapes(made.data)) &&
    (made.environment == null || environmentsOf(model).some((offered) => isDeepStrictEqual(offered, made.environment)))
  )
}

/** As it would come back from a node: without keys that stand for nothing. */
function plain(definition: Definition): Definition {
  return Definition.parse(JSON.parse(JSON.stringify(definition)))
}

/** The variables without their values; one that is never shown to users keeps its value too. */
function shapes(data: Definition['data']): Record<string, unknown> {
  const shape = (variable: Variable) => (variable.internal ? variable : without(variable, new Set(['value'])))
  return Object.fromEntries(Object.entries(data).map(([name, variable]) => [name, shape(variable)]))
}

/** Nothing and an empty list say the same as a missing key. */
function without(whole: object, keys: ReadonlySet<string>): Record<string, unknown> {
  const says = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(whole).filter(([key, value]) => !keys.has(key) && says(value)))
}
