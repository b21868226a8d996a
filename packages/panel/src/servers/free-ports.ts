import type { Definition } from '@innkeeper/contract/definitions/definition'
import { getPortVariables } from '@innkeeper/contract/definitions/port-variables'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { getText, type VariableValues } from '@innkeeper/contract/definitions/variables'
import type { PortsService } from '../nodes/ports.ts'

interface Options {
  readonly ports: Pick<PortsService, 'reserve' | 'release'>
  readonly node: number
  /** The variables of the new server, with the values of the request. */
  readonly data: Definition['data']
  /** The values of the request, which are kept. */
  readonly requested: VariableValues
}

/**
 * Creates a server with ports that are free on its node, which are reserved until it is created, so that no other panel
 * allocates them. With a port from a range, the server also gets the address of the range.
 */
export async function createWithFreePorts<T>(
  { ports, node, data, requested }: Options,
  create: (data: Definition['data']) => Promise<T>,
): Promise<T> {
  const [kept, replaced] = [
    getPortVariables(data).filter(({ name }) => Object.hasOwn(requested, name)),
    getPortVariables(data).filter(({ name }) => !Object.hasOwn(requested, name)),
  ]
  const getNumber = ({ variable }: (typeof replaced)[number]) => Number(getText(variable.value))
  if (replaced.length + kept.length === 0) return await create(data)
  const { id, ports: free } = await ports.reserve(node, replaced.map(getNumber), kept.map(getNumber))
  const values = replaced.map(({ name, variable }, at) => {
    const port = free[at]?.port ?? getNumber({ name, variable })
    const value = typeof variable.value === 'number' ? port : String(port)
    // A variable may allow certain ports only.
    return [name, validateVariable(name, variable, value, name) ? variable : { ...variable, value }] as const
  })
  const address = replaced[0]?.name === 'port' ? (free[0]?.address ?? '') : ''
  const hasIp = address !== '' && Object.hasOwn(data, 'ip') && !Object.hasOwn(requested, 'ip')
  const changed = { ...data, ...Object.fromEntries(values), ...(hasIp && { ip: { ...data.ip, value: address } }) }
  let isCreated = false
  try {
    const created = await create(changed)
    isCreated = true
    return created
  } finally {
    await ports.release(id, { isCreated })
  }
}
