import { PacketReader } from './packet-reader.ts'
import type { GameAnswer, QueryTarget } from './protocol.ts'
import { exchange } from './udp.ts'

/** Before each packet outside of a connection. */
export const connectionlessHeader = Buffer.from([0xff, 0xff, 0xff, 0xff])
const request = Buffer.concat([connectionlessHeader, Buffer.from('getstatus\n')])
export const statusResponse = Buffer.concat([connectionlessHeader, Buffer.from('statusResponse\n')])

interface Client {
  readonly ping: number
  readonly name: string
}

/** Asks a game with the engine of Quake 3, or that of Xonotic and Nexuiz, for its status. */
export async function readQuake3(target: QueryTarget): Promise<GameAnswer> {
  return await exchange(target, async (peer) => {
    peer.send(request)
    return parseStatus(await peer.receive())
  })
}

function parseStatus(packet: Buffer): GameAnswer {
  const reader = new PacketReader(packet)
  if (!reader.skipIf(statusResponse)) throw new Error('this is not a status')
  const [info = '', ...lines] = reader.rest.toString('latin1').split('\n')
  const settings = parseSettings(info)
  const clients = lines.flatMap(findClient)
  const people = findPeople(clients, settings)
  return {
    online: people.length,
    max: Number(settings.get('sv_maxclients')),
    bots: clients.length - people.length,
    names: people.map(({ name }) => ({ name: withoutColors(name) })),
    map: settings.get('mapname'),
    version: settings.get('version') ?? settings.get('gameversion'),
    name: withoutColors(settings.get('sv_hostname') ?? settings.get('hostname') ?? ''),
  }
}

/** `\name\value\name\value`. */
function parseSettings(text: string): ReadonlyMap<string, string> {
  const parts = text.split('\\').slice(1)
  const settings = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) settings.set((parts[at] ?? '').toLowerCase(), parts[at + 1] ?? '')
  return settings
}

/** `score ping "name"`, in some games with more numbers. */
function findClient(line: string): Client[] {
  const { ping, name } = /^-?\d{1,9} (?<ping>\d{1,9}) (?:-?\d{1,9} )*"(?<name>[^"]*)"/.exec(line)?.groups ?? {}
  return ping !== undefined && name !== undefined ? [{ ping: Number(ping), name }] : []
}

/**
 * Bots have a ping of 0, which people on the same machine may have too. Some games tell how many people there are:
 * OpenArena as `g_humanplayers`, Xonotic the others as `bots`.
 */
function findPeople(clients: readonly Client[], settings: ReadonlyMap<string, string>): readonly Client[] {
  const bots = settings.get('bots')
  const humans = settings.get('g_humanplayers') ?? (bots && String(clients.length - Number(bots)))
  const byPing = clients.toSorted((a, b) => Number(b.ping > 0) - Number(a.ping > 0))
  return humans !== undefined && /^\d{1,4}$/.test(humans)
    ? byPing.slice(0, Number(humans))
    : clients.filter(({ ping }) => ping > 0)
}

/** `^1`, in Xonotic also `^x0f0`. */
const withoutColors = (text: string): string => text.replace(/\^(?:x[\da-f]{3}|[^^x\s])/gi, '').trim()
