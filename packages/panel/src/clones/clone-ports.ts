import type { Definition } from '@innkeeper/contract/definition'
import { getPortVariables } from '@innkeeper/contract/port-variables'
import { textOf, type VariableValues, validateVariable } from '@innkeeper/contract/variables'
import type { PortsService } from '../nodes/ports.ts'

interface Options {
  readonly ports: Pick<PortsService, 'replace'>
  readonly node: number
  /** The variables of the source, with the values of the request. */
  readonly data: Definition['data']
  /** The values of the request, which are kept. */
  readonly requested: VariableValues
}

/** The variables of a clone: its ports are free on the node. A port of a range brings its address. */
export async function withFreePorts({ ports, node, data, requested }: Options): Promise<Definition['data']> {
  const [kept, replaced] = [
    getPortVariables(data).filter(({ name }) => Object.hasOwn(requested, name)),
    getPortVariables(data).filter(({ name }) => !Object.hasOwn(requested, name)),
  ]
  if (replaced.length === 0) return data
  const numberOf = ({ variable }: (typeof replaced)[number]) => Number(textOf(variable.value))
  const free = (await ports.replace(node, replaced.map(numberOf), kept.map(numberOf))).ports
  const values = replaced.map(({ name, variable }, at) => {
    const port = free[at]?.port ?? numberOf({ name, variable })
    const value = typeof variable.value === 'number' ? port : String(port)
    // A variable may allow certain ports only.
    return [name, validateVariable(name, variable, value, name) ? variable : { ...variable, value }] as const
  })
  const address = replaced[0]?.name === 'port' ? (free[0]?.address ?? '') : ''
  const hasIp = address !== '' && Object.hasOwn(data, 'ip') && !Object.hasOwn(requested, 'ip')
  return { ...data, ...Object.fromEntries(values), ...(hasIp && { ip: { ...data.ip, value: address } }) }
}
