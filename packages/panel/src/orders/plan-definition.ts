import {
  type Definition,
  type Environment,
  getEnvironment,
  getEnvironments,
  getLimits,
  isLimitVariable,
  type LimitSettings,
  type Template,
} from '@innkeeper/contract/definitions/definition'
import { withoutExtraPorts } from '@innkeeper/contract/definitions/extra-ports'
import { getPortVariables } from '@innkeeper/contract/definitions/port-variables'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { validateUse } from '@innkeeper/contract/definitions/value-uses'
import { getText, portMax, type Variable, type VariableValue } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Plan } from '@innkeeper/contract/orders/plans'
import { newPortVariable, publishPorts } from '../servers/published-ports.ts'

const additionalPort = /^additional_port_(\d+)$/
const limitsOfPlan = ['memory', 'cpu', 'disk'] as const

/**
 * The definition of a new server of a plan. Its additional ports have no free numbers yet.
 * @throws ErrFieldInvalid and other refusals for values that the template does not allow, or too few ports
 */
export function planDefinition(
  { readme: _readme, name: _name, ...template }: Template,
  plan: Plan,
  values: Readonly<Record<string, VariableValue>>,
): Definition {
  const data = { ...template.data }
  for (const [name, value] of Object.entries({ ...plan.variables, ...values }))
    data[name] = withValue(template, name, value)
  const definition = withAdditionalPorts(withLimits({ ...template, data }, template, plan), plan)
  const own = getPortVariables(template.data).length
  if (plan.ports !== undefined && plan.ports < own) throw new Refusal('ErrFieldTooSmall', { field: 'ports', min: own })
  return definition
}

/** The definition of an existing server with the limits, ports and variables of another plan. Further ports have no free numbers yet. */
export function withPlan(definition: Definition, template: Definition | undefined, plan: Plan): Definition {
  const values = Object.entries(plan.variables).filter(([name]) => Object.hasOwn(definition.data, name))
  const changed = values.map(([name, value]) => [name, { ...definition.data[name], value }] as const)
  const data = { ...definition.data, ...Object.fromEntries(changed) }
  return withAdditionalPorts(withLimits({ ...definition, data }, template, plan), plan)
}

/** Names of the additional ports of a server. */
export function getAdditionalPorts(data: Definition['data']): string[] {
  return Object.keys(data).filter((name) => additionalPort.test(name))
}

function withValue(template: Definition, name: string, value: VariableValue): Variable {
  const variable = Object.hasOwn(template.data, name) ? template.data[name] : undefined
  const field = `variables.${name}`
  if (!variable) throw new Refusal('ErrFieldInvalid', { field })
  const problem = validateVariable(name, variable, value, field) ?? validateUse(template, name, variable, value, field)
  if (problem) throw problem
  return { ...variable, value }
}

/** A limit that the plan does not have is that of the template. */
function withLimits(definition: Definition, template: Definition | undefined, { limits: ofPlan }: Plan): Definition {
  const environment = getEnvironment(definition)
  const original = template && getEnvironments(template).find(({ type }) => type === environment.type)
  const kept: Partial<LimitSettings> = original
    ? (original.limits ?? {})
    : without(environment.limits ?? {}, limitsOfPlan)
  const given = Object.fromEntries(Object.entries(ofPlan).filter(([, value]) => value !== undefined))
  const limits = { ...kept, ...given } as LimitSettings
  const data = { ...definition.data }
  for (const name of limitsOfPlan) {
    const [variable, max] = [kept[name], ofPlan[name]]
    if (!isLimitVariable(variable) || max === undefined) continue
    const key = variable.slice(2, -1)
    const before = data[key]
    if (!before) continue
    const value = largestValue(environment, variable, name, max)
    // A variable may allow certain values only.
    if (!validateVariable(key, before, value))
      data[key] = { ...before, value: typeof before.value === 'number' ? value : String(value) }
  }
  return { ...definition, environment: { ...environment, limits }, data }
}

/** The largest number for the program whose limit, which includes what it needs beside, is not more than that of the plan. */
function largestValue(
  environment: Environment,
  variable: string,
  name: (typeof limitsOfPlan)[number],
  max: number,
): number {
  const limits = { [name]: variable } as LimitSettings
  const key = variable.slice(2, -1)
  const getLimit = (value: number) => getLimits({ ...environment, limits }, { [key]: { value } })[name] ?? 0
  let [fits, exceeds] = [Math.floor(max / 2), max + 1]
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2)
    if (getLimit(middle) <= max) fits = middle
    else exceeds = middle
  }
  return fits
}

/** Adds or removes additional ports. In containers they are published. */
function withAdditionalPorts(definition: Definition, { ports }: Plan): Definition {
  const known = getAdditionalPorts(definition.data)
  const own = getPortVariables(without(withoutExtraPorts(definition.data), known))
  const wanted = Array.from({ length: Math.max(0, (ports ?? 0) - own.length) }, (_, at) => `additional_port_${at + 1}`)
  const first = Number(getText(own[0]?.variable.value)) || 25_565
  const added = wanted.map((name, at) => {
    const port = Math.min(portMax, first + own.length + at)
    return [name, definition.data[name] ?? newPortVariable('Additional port', port)] as const
  })
  const data = { ...without(definition.data, known), ...Object.fromEntries(added) }
  return publishPorts({ ...definition, data }, wanted, (name) => additionalPort.test(name))
}

function without<T extends object>(record: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key))) as T
}
