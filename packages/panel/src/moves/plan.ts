import { listBackups } from '@innkeeper/contract/backups/backups'
import { Definition, type ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { getPorts, getPortVariables } from '@innkeeper/contract/definitions/port-variables'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { getText, type VariableValues } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { MovedValue } from '@innkeeper/contract/moves/moves'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { Server } from '../access/principal.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PortsService } from '../nodes/ports.ts'

const everywhere = ['', '0.0.0.0', '::']

interface Deps {
  readonly nodes: Pick<NodesService, 'clientFor' | 'requireForCreate' | 'readFeatures'>
}

/** What both nodes say about a move. */
export interface Examined {
  readonly definition: ServerDefinition
  /** On all targets: the other node has a repository of its own, also on a shared target. */
  readonly backups: number
  readonly isStarted: boolean
  /** Why the other node cannot have the server. */
  readonly error: Refusal | undefined
}

/** Asks both nodes. Throws when one does not respond. */
export async function examine({ nodes }: Deps, server: Server, node: number): Promise<Examined> {
  if (server.nodeId === node) throw new Refusal('ErrFieldInvalid', { field: 'node' })
  const [from, to] = [await nodes.clientFor(server.nodeId), await nodes.requireForCreate(node)]
  const params = { id: server.id }
  const { isStarted = false, runtimes = [] } = await from
    .call(panelEndpoints.getMoveState, { params })
    .catch(asOutdated)
  const definition = await from.call(getDefinition, { params })
  const backups = await from.call(listBackups, { params })
  const { id: _, ...body } = definition
  const error = await to
    .call(panelEndpoints.checkMovedServer, { params, body: Definition.parse(body) })
    .then(() => undefined, asOutdated)
    .catch((refusal: unknown) => {
      if (refusal instanceof Refusal && refusal.code !== 'ErrServiceNotAvailable') return refusal
      throw refusal
    })
  const [expected, actual] = [await nodes.readFeatures(server.nodeId), await nodes.readFeatures(node)]
  // They go with the server.
  const isOtherMachine = runtimes.length > 0 && expected.arch !== actual.arch
  const archError = isOtherMachine
    ? new Refusal('ErrUnsupportedArch', { actual: actual.arch, expected: expected.arch })
    : undefined
  return { definition, backups: backups.length, isStarted, error: error ?? archError }
}

/** An older node does not know these endpoints. */
function asOutdated(error: unknown): never {
  throw error instanceof Refusal && error.code === 'ErrNotFound' ? new Refusal('ErrNodeOutdated') : error
}

type Ports = Awaited<ReturnType<PortsService['keep']>>

/**
 * The values that change on the other node: ports that are taken there, and an address that it does not have. A port from a
 * range of the node brings the address of the range.
 */
export function movedValues({ data }: Pick<ServerDefinition, 'data'>, ports: Ports): VariableValues {
  const numbers = portsOf({ data })
  const values = getPortVariables(data).flatMap(({ name, variable }) => {
    const number = Number(getText(variable.value))
    const port = ports[numbers.indexOf(number)]?.port
    if (port === undefined || port === number) return []
    const value = typeof variable.value === 'number' ? port : String(port)
    // A variable may allow certain ports only.
    return validateVariable(name, variable, value, name) ? [] : [[name, { value }] as const]
  })
  const ip = Object.hasOwn(data, 'ip') ? getText(data.ip?.value).trim() : ''
  const ofRange = getPortVariables(data)[0]?.name === 'port' ? (ports[0]?.address ?? '') : ''
  const address = ofRange !== '' && !everywhere.includes(ofRange) ? ofRange : '0.0.0.0'
  const isOther =
    Object.hasOwn(data, 'ip') && ip !== address && !(everywhere.includes(ip) && everywhere.includes(address))
  return { ...Object.fromEntries(values), ...(isOther && { ip: { value: address } }) }
}

export function listValues({ data }: Pick<ServerDefinition, 'data'>, values: VariableValues): MovedValue[] {
  return Object.entries(values).map(([name, { value }]) => ({
    name,
    from: getText(data[name]?.value),
    to: getText(value),
  }))
}

/** Variables with the same number are one port. */
export const portsOf = ({ data }: Pick<ServerDefinition, 'data'>): number[] => [...new Set(getPorts(data))]
