import { readFile } from 'node:fs/promises'
import type { PortInUse } from '@innkeeper/contract/nodes/node-ports'
import { ifExists } from '../fs/if-exists.ts'

/** Maximum number of ports in use that a node reports. */
const maxReportedPorts = 10_000

/** The kernel's socket tables, and the state of a listening socket. */
const tables = [
  { file: 'tcp', protocol: 'tcp', state: '0A' },
  { file: 'tcp6', protocol: 'tcp', state: '0A' },
  { file: 'udp', protocol: 'udp', state: '07' },
  { file: 'udp6', protocol: 'udp', state: '07' },
] as const

/** Returns the ports in use on this host. Container ports published only by firewall rules are not included. */
export async function portsInUse(): Promise<PortInUse[]> {
  const found = new Map<string, PortInUse>()
  for (const { file, protocol, state } of tables) {
    for (const socket of listeningIn(await tableIn(file), state)) {
      if (found.size >= maxReportedPorts) break
      found.set(`${protocol} ${socket.address} ${socket.port}`, { ...socket, protocol })
    }
  }
  return [...found.values()]
}

/** The lines of a table with this socket state. */
export function* listeningIn(table: string, state: string): Generator<{ address: string; port: number }> {
  const line = /^ *\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) /gm
  for (const [, address = '', port = '', found] of table.matchAll(line)) {
    if (found === state) yield { address: getAddress(address), port: Number.parseInt(port, 16) }
  }
}

/** A table is missing when its address family is disabled. */
async function tableIn(file: string): Promise<string> {
  return (await ifExists(readFile(`/proc/net/${file}`, 'latin1'))) ?? ''
}

/** The kernel prints each four bytes as an integer in host byte order. */
function getAddress(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse()
  if (bytes.length === 4) return bytes.join('.')
  const isMapped = bytes.subarray(0, 12).equals(Buffer.from('00000000000000000000ffff', 'hex'))
  if (isMapped) return bytes.subarray(12).join('.')
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
