import { type Definition, getEnvironment, getLimits } from '@innkeeper/contract/definitions/definition'
import { getPortVariables } from '@innkeeper/contract/definitions/port-variables'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { OpenPlacement } from '../nodes/placements.ts'

/**
 * The definition of a server that is created with a reservation: with the reserved ports, and with the reserved memory and disk
 * space as limits unless it has limits. Throws ErrFieldTooLarge when a limit of the definition is larger.
 */
export function applyPlacement<D extends Definition>(definition: D, placement: OpenPlacement): D {
  const data = withPorts(definition.data, placement.ports)
  const environment = getEnvironment(definition)
  const current = getLimits(environment, data)
  const limits: { memory?: number; disk?: number } = {}
  for (const name of ['memory', 'disk'] as const) {
    const reserved = placement[name]
    if (reserved === 0) continue
    if ((current[name] ?? 0) > reserved)
      throw new Refusal('ErrFieldTooLarge', { field: `environment.limits.${name}`, max: `${reserved} MiB` })
    if (current[name] === undefined) limits[name] = reserved
  }
  if (Object.keys(limits).length === 0) return { ...definition, data }
  return { ...definition, data, environment: { ...environment, limits: { ...environment.limits, ...limits } } }
}

/** The main port gets the first one, and the address of its range. Further variables keep their values when there are fewer. */
function withPorts(data: Definition['data'], ports: OpenPlacement['ports']): Definition['data'] {
  const variables = getPortVariables(data).slice(0, ports.length)
  const values = variables.map(({ name, variable }, index) => {
    const port = ports[index]?.port ?? 0
    const value = typeof variable.value === 'number' ? port : String(port)
    const problem = validateVariable(name, variable, value, `data.${name}`)
    if (problem) throw problem
    return [name, { ...variable, value }] as const
  })
  const address = variables[0]?.name === 'port' ? (ports[0]?.address ?? '') : ''
  const hasIp = address !== '' && Object.hasOwn(data, 'ip')
  return { ...data, ...Object.fromEntries(values), ...(hasIp && { ip: { ...data.ip, value: address } }) }
}
