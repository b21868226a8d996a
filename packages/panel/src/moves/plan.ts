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

/** What its node says about a server that is to be moved. */
export interface Source {
  readonly server: Server
  readonly definition: ServerDefinition
  /** On all targets: the other node has a repository of its own, also on a shared target. */
  readonly backups: number
  readonly isStarted: boolean
  readonly runtimes: readonly string[]
}

/** Throws when the node does not respond. */
export async function readSource({ nodes }: Deps, server: Server): Promise<Source> {
  const from = await nodes.clientFor(server.nodeId)
  const params = { id: server.id }
  const { isStarted = false, runtimes = [] } = await from
    .call(panelEndpoints.getMoveState, { params })
    .catch(asOutdated)
  const definition = await from.call(getDefinition, { params })
  const backups = await from.call(listBackups, { params })
  return { server, definition, backups: backups.length, isStarted, runtimes }
}

/** Why the other node cannot have the server. Throws when it does not respond. */
export async function checkTarget({ nodes }: Deps, source: Source, node: number): Promise<Refusal | undefined> {
  const { server, definition, runtimes } = source
  if (server.nodeId === node) throw new Refusal('ErrFieldInvalid', { field: 'node' })
  const to = await nodes.requireForCreate(node)
  const { id: _, ...body } = definition
  const error = await to
    .call(panelEndpoints.checkMovedServer, { params: { id: server.id }, body: Definition.parse(body) })
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
  return error ?? archError
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
