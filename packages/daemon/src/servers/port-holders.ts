import { addressesOverlap, type ListenAddress } from '@innkeeper/contract/listen-address'
import type { PortInUse } from '@innkeeper/contract/node-ports'

/** A server that runs, and where it says that it listens. */
export interface Neighbour extends ListenAddress {
  readonly id: string
}

/** What stands in the way of a server that is to listen there, in words; nothing when the port is free. */
export function portTroubles(
  wanted: ListenAddress,
  inUse: readonly PortInUse[],
  neighbours: readonly Neighbour[],
): readonly string[] {
  const meets = (place: Pick<PortInUse, 'address' | 'port'>) =>
    place.port === wanted.port && addressesOverlap(place.address, wanted.ip)
  const protocols = [...new Set(inUse.filter(meets).map(({ protocol }) => protocol.toUpperCase()))]
  if (wanted.port === 0 || protocols.length === 0) return []
  const holder = neighbours.find(({ ip, port }) => meets({ address: ip, port }))
  const who = holder ? `the server ${holder.id}` : 'another program of this machine'
  return [`Port ${wanted.port} (${protocols.join(' and ')}) is in use by ${who}: choose another if the server needs it`]
}
