import type { Definition } from '@innkeeper/contract/definitions/definition'
import { isExtraPort, withoutExtraPorts } from '@innkeeper/contract/definitions/extra-ports'
import { getPortVariables, isPort } from '@innkeeper/contract/definitions/port-variables'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { getText, type Variable, type Variables } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { newPortVariable, publishPorts } from './published-ports.ts'

/** An extra port as its variable stores it. */
export interface StoredPort {
  readonly name: string
  readonly port: number
  readonly note: string
  /** The variable of the template that has its number, as long as nobody has given that another one. */
  readonly variable?: string
  /** The number that this variable had before. */
  readonly replaced?: number
}

/** In the order in which they were taken. */
export function getExtraPorts(data: Variables): StoredPort[] {
  return Object.entries(data)
    .filter(([name, { value }]) => isExtraPort(name) && isPort(getText(value)))
    .map(([name, stored]) => {
      const { desc: note = '', value, variable, replaced } = stored
      const isBound = typeof variable === 'string' && Object.hasOwn(data, variable)
      const hasNumber = isBound && getText(data[variable]?.value) === getText(value)
      return {
        ...{ name, port: Number(getText(value)), note },
        ...(hasNumber && { variable, ...(typeof replaced === 'number' && { replaced }) }),
      }
    })
}

/** Ports of the template beside the main one that no other extra port is written into. */
export function getBindableVariables(data: Variables): { readonly name: string; readonly variable: Variable }[] {
  const bound = new Set(getExtraPorts(data).map(({ variable }) => variable))
  return getPortVariables(withoutExtraPorts(data)).filter(
    ({ name, variable }) =>
      name !== 'port' && !name.startsWith('additional_port_') && variable.internal !== true && !bound.has(name),
  )
}

/** Adds a port, or replaces it. In containers it is published. */
export function putExtraPort<D extends Definition>(definition: D, { name, port, note }: StoredPort): D {
  const variable = { ...definition.data[name], ...newPortVariable('Extra port', port), desc: note }
  const data = { ...definition.data, [name]: variable }
  return publishPorts({ ...definition, data }, Object.keys(data).filter(isExtraPort), isExtraPort)
}

/**
 * Writes the number of an extra port into a variable of the template.
 * @throws ErrFieldInvalid when there is no such port variable, and what its rules say
 */
export function bindPort<D extends Definition>(definition: D, name: string, to: string): D {
  const { data } = definition
  const target = getBindableVariables(data).find((bindable) => bindable.name === to)?.variable
  const extra = Object.hasOwn(data, name) ? data[name] : undefined
  if (!target || !extra) throw new Refusal('ErrFieldInvalid', { field: 'variable' })
  const port = Number(getText(extra.value))
  const problem = validateVariable(to, target, String(port), 'variable')
  if (problem) throw problem
  const replaced = Number(getText(target.value))
  const changed = { [to]: withPort(target, port), [name]: { ...extra, variable: to, replaced } }
  return { ...definition, data: { ...data, ...changed } }
}

/** Gives the variable that has the number of an extra port another number. */
export function unbindPort<D extends Definition>(definition: D, { name, variable }: StoredPort, port: number): D {
  const { variable: _, replaced: __, ...extra } = definition.data[name] ?? {}
  const target = variable === undefined ? undefined : definition.data[variable]
  const changed = variable !== undefined && target ? { [variable]: withPort(target, port) } : {}
  return { ...definition, data: { ...definition.data, ...changed, [name]: extra } }
}

export function removeExtraPort<D extends Definition>(definition: D, name: string): D {
  const { [name]: _, ...data } = definition.data
  return publishPorts({ ...definition, data }, Object.keys(data).filter(isExtraPort), isExtraPort)
}

/** Without extra ports: variables that have their numbers get the former ones. */
export function dropExtraPorts<D extends Definition>(definition: D): D {
  return getExtraPorts(definition.data).reduce((rest, stored) => {
    const { name, port, replaced = port } = stored
    return removeExtraPort(unbindPort(rest, stored, replaced), name)
  }, definition)
}

const withPort = (variable: Variable, port: number): Variable => ({
  ...variable,
  value: typeof variable.value === 'number' ? port : String(port),
})
