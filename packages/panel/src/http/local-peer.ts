import { readFile } from 'node:fs/promises'
import { isIPv4, isIPv6 } from 'node:net'
import { endianness, networkInterfaces } from 'node:os'

/** Both endpoints of a TCP connection. */
export interface Connection {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly localAddress: string
  readonly localPort: number
}

/** An entry of `/proc/net/tcp`. */
interface SocketEntry {
  readonly uid: number
  readonly isEstablished: boolean
  /** 0 when no process holds the socket; then the uid is not meaningful. */
  readonly inode: string
}

/** State ESTABLISHED in that table. */
const established = '01'

/** Whether the peer of a connection is on this machine. */
export function isLocal({ remoteAddress }: Pick<Connection, 'remoteAddress'>): boolean {
  const plain = plainAddress(remoteAddress)
  if (plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'))) return true
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === plain))
}

/**
 * The uid of the process at the other end of a local connection; `undefined` when it is unknown or the process has
 * closed it.
 */
export async function peerUid(connection: Connection): Promise<number | undefined> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readTable))
  const socket = socketOfPeer(tables.join('\n'), connection)
  return socket?.isEstablished && socket.inode !== '0' ? socket.uid : undefined
}

/** Finds the socket of the peer in the kernel's table: our remote address is its local address. */
export function socketOfPeer(table: string, connection: Connection): SocketEntry | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = connection
  // IPv4 may use an IPv6 socket.
  const pairs = [findHex, findMappedHex].flatMap((hex) => {
    const [remote, local] = [hex(remoteAddress), hex(localAddress)]
    return remote && local ? [`${remote}:${portHex(remotePort)} ${local}:${portHex(localPort)}`] : []
  })
  for (const line of table.split('\n')) {
    const [, remote = '', local = '', state = '', , , , uid = '', , inode = ''] = line.trim().split(/ +/)
    if (pairs.includes(`${remote} ${local}`)) return { uid: Number(uid), isEstablished: state === established, inode }
  }
  return undefined
}

async function readTable(path: string): Promise<string> {
  // Without IPv6 the second table is missing.
  return await readFile(path, 'latin1').catch(() => '')
}

const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1)[0] ?? ''
const portHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** An address in the format of the kernel: 32-bit words in host byte order. */
function findHex(address: string): string | undefined {
  const plain = plainAddress(address)
  if (isIPv4(plain)) return words(Buffer.from(plain.split('.').map(Number)))
  return isIPv6(plain) ? words(bytesOfIPv6(plain)) : undefined
}

function findMappedHex(address: string): string | undefined {
  const plain = plainAddress(address)
  if (!isIPv4(plain)) return undefined
  return words(Buffer.concat([Buffer.alloc(10), Buffer.from([255, 255]), Buffer.from(plain.split('.').map(Number))]))
}

function words(bytes: Buffer): string {
  const ordered = endianness() === 'LE' ? Buffer.from(bytes).swap32() : bytes
  return ordered.toString('hex').toUpperCase()
}

function bytesOfIPv6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const [front, back] = [groups(head), groups(tail)]
  const zeros = Array<string>(8 - front.length - back.length).fill('0')
  const all = [...front, ...zeros, ...back].map((group) => Number.parseInt(group, 16))
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]))
}
