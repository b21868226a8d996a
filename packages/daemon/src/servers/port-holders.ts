import { addressesOverlap, type ListenAddress } from '@innkeeper/contract/listen-address'
import type { PortInUse } from '@innkeeper/contract/node-ports'

/** A server that runs, and where it says that it listens. */
export interface ListeningServer extends ListenAddress {
  readonly id: string
}

/** What stands in the way of a server that is to listen there, in words; nothing when the port is free. */
export function portConflicts(
  wanted: ListenAddress,
  inUse: readonly PortInUse[],
  runningServers: readonly ListeningServer[],
): readonly string[] {
  const overlaps = (location: Pick<PortInUse, 'address' | 'port'>) =>
    location.port === wanted.port && addressesOverlap(location.address, wanted.ip)
  const protocols = [...new Set(inUse.filter(overlaps).map(({ protocol }) => protocol.toUpperCase()))]
  if (wanted.port === 0 || protocols.length === 0) return []
  const holder = runningServers.find(({ ip, port }) => overlaps({ address: ip, port }))
  const holderName = holder ? `the server ${holder.id}` : 'another program of this machine'
  return [
    `Port ${wanted.port} (${protocols.join(' and ')}) is in use by ${holderName}: choose another if the server needs it`,
  ]
}
