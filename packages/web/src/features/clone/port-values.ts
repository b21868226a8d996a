import type { PortVariable } from '@innkeeper/contract/definitions/port-variables'
import { getText, type Variables, type VariableValues } from '@innkeeper/contract/definitions/variables'
import type { PortInUse } from '@innkeeper/contract/nodes/node-ports'

/** The ports to fill in: free ones of the node, or else those of the source. */
export function suggestPorts(
  variables: readonly PortVariable[],
  free: readonly Pick<PortInUse, 'port'>[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    variables.map(({ name, variable }, at) => [name, String(free[at]?.port ?? getText(variable.value))]),
  )
}

/** The values of changed ports to send: numbers stay numbers. */
export function toVariableValues(data: Variables, ports: Readonly<Record<string, string>>): VariableValues {
  const values = Object.entries(ports).map(([name, text]) => {
    const isNumber = typeof data[name]?.value === 'number'
    return [name, { value: isNumber ? Number(text) : text }] as const
  })
  return Object.fromEntries(values)
}
