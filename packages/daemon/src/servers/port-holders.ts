import { addressesOverlap, type ListenAddress } from '@innkeeper/contract/http/listen-address'
import type { PortInUse } from '@innkeeper/contract/nodes/node-ports'

/** A running server with the address in its definition. */
export interface ListeningServer extends ListenAddress {
  readonly id: string
}

/** Describes the conflict when another program listens on the address. Returns an empty list when the port is free. */
export function portConflicts(
  address: ListenAddress,
  inUse: readonly PortInUse[],
  runningServers: readonly ListeningServer[],
): readonly string[] {
  const overlaps = (location: Pick<PortInUse, 'address' | 'port'>) =>
    location.port === address.port && addressesOverlap(location.address, address.ip)
  const protocols = [...new Set(inUse.filter(overlaps).map(({ protocol }) => protocol.toUpperCase()))]
  if (address.port === 0 || protocols.length === 0) return []
  const holder = runningServers.find(({ ip, port }) => overlaps({ address: ip, port }))
  const holderName = holder ? `server ${holder.id}` : 'another program on this machine'
  return [
    `Port ${address.port} (${protocols.join(' and ')}) is already in use by ${holderName}. Choose another port if the server needs it.`,
  ]
}
