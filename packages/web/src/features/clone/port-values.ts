import type { PortInUse } from '@innkeeper/contract/node-ports'
import { portMax, textOf, type Variable, type Variables, type VariableValues } from '@innkeeper/contract/variables'

/** A variable that is the number of a port. */
export interface PortVariable {
  readonly name: string
  readonly variable: Variable
}

/** The variables of a server that two servers of a node cannot both have: `port`, `queryport`. The main one is first. */
export function getPortVariables(data: Variables): readonly PortVariable[] {
  return Object.entries(data)
    .map(([name, variable]) => ({ name, variable }))
    .filter(({ name, variable }) => /port$/i.test(name) && isPort(textOf(variable.value)))
    .toSorted((a, b) => Number(b.name === 'port') - Number(a.name === 'port'))
}

export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= portMax
}

/** The ports to fill in: free ones of the node, or else those of the source. */
export function suggestPorts(
  variables: readonly PortVariable[],
  free: readonly Pick<PortInUse, 'port'>[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    variables.map(({ name, variable }, at) => [name, String(free[at]?.port ?? textOf(variable.value))]),
  )
}

/** The values to send: numbers stay numbers. A free port is on an address, which becomes that of the server. */
export function toVariableValues(
  data: Variables,
  ports: Readonly<Record<string, string>>,
  free: readonly Pick<PortInUse, 'address' | 'port'>[],
): VariableValues {
  const values = Object.entries(ports).map(([name, text]) => {
    const isNumber = typeof data[name]?.value === 'number'
    return [name, { value: isNumber ? Number(text) : text }] as const
  })
  const address = free.find(({ port }) => String(port) === ports.port)?.address
  const hasIp = Object.hasOwn(data, 'ip')
  return { ...Object.fromEntries(values), ...(hasIp && address !== undefined && { ip: { value: address } }) }
}
