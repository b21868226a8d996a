import type { PlayerName } from '@innkeeper/contract/servers/players'
import { z } from 'zod'
import { readMinecraftList } from './minecraft-list.ts'
import { readVarInt, toPacket, toVarInt } from './minecraft-packets.ts'
import type { GameAnswer, QueryTarget } from './protocol.ts'
import { requestOverTcp } from './tcp.ts'

/** A status with an icon has about 20 KiB; that of a server with many mods more. */
const maxResponseBytes = 512 * 1024
/** The protocol version of a client that only asks for the status: -1. */
const anyVersion = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])
const requestStatus = 1
/** Of players who do not want to be listed. */
const nobody = '00000000-0000-0000-0000-000000000000'

const Player = z.object({ name: z.string(), id: z.string() })

const Status = z.object({
  players: z.object({ online: z.number(), max: z.number(), sample: z.array(z.unknown()).nullish().catch([]) }),
  version: z.object({ name: z.string() }).optional().catch(undefined),
  description: z.unknown().optional(),
})

/** A server answers within a few milliseconds, or has no list. */
const listMs = 500

/**
 * Asks a server of Minecraft Java Edition with the Server List Ping, which names at most 12 players, and for the names of
 * more where it lists them.
 */
export async function readMinecraft(target: QueryTarget): Promise<GameAnswer> {
  const status = await readStatus(target)
  const { online, names = [] } = status
  if (target.listPort === undefined || online <= names.length) return status
  const listed = await readList({ ...target, port: target.listPort })
  const known = new Map(names.map((player) => [player.name, player]))
  return { ...status, ...(listed && { names: listed.map((player) => known.get(player.name) ?? player) }) }
}

async function readList(target: QueryTarget): Promise<readonly PlayerName[] | undefined> {
  const signal = AbortSignal.any([target.signal, AbortSignal.timeout(listMs)])
  return await readMinecraftList({ ...target, signal }).catch(() => undefined)
}

async function readStatus(target: QueryTarget): Promise<GameAnswer> {
  const request = Buffer.concat([toPacket(handshake(target)), toPacket(Buffer.from([0]))])
  return await requestOverTcp(target, request, (received) => {
    if (received.length > maxResponseBytes) throw new Error('the status is too large')
    const text = statusIn(received)
    return text === undefined ? undefined : parseStatus(text)
  })
}

function parseStatus(text: string): GameAnswer {
  const { players, version, description } = Status.parse(JSON.parse(text))
  const { online, max, sample } = players
  return {
    online,
    max,
    names: sample?.flatMap(findPlayer),
    version: version?.name,
    name: withoutFormatting(toPlainText(description)),
  }
}

/** Some servers show other lines in the place of players, mostly formatted. */
function findPlayer(item: unknown): PlayerName[] {
  const { data } = Player.safeParse(item)
  return data && data.id !== nobody && !data.name.includes('§') ? [data] : []
}

const Component = z.object({ text: z.string().catch(''), extra: z.array(z.unknown()).catch([]) })
const maxComponentDepth = 10

/** The text of a text component, which may contain others. */
function toPlainText(component: unknown, depth = 0): string {
  if (typeof component === 'string') return component
  const { data } = Component.safeParse(component)
  if (!data || depth === maxComponentDepth) return ''
  return [data.text, ...data.extra.map((part) => toPlainText(part, depth + 1))].join('')
}

const withoutFormatting = (text: string): string => text.replace(/§./gu, '')

function handshake({ host, port }: QueryTarget): Buffer {
  const name = Buffer.from(host)
  const end = Buffer.alloc(3)
  end.writeUInt16BE(port)
  end.writeUInt8(requestStatus, 2)
  return Buffer.concat([Buffer.from([0]), anyVersion, toVarInt(name.length), name, end])
}

/** The JSON text of a status packet; undefined until it is complete. */
function statusIn(received: Buffer): string | undefined {
  const length = readVarInt(received, 0)
  const type = length && readVarInt(received, length.end)
  const textLength = type && readVarInt(received, type.end)
  if (!length || !type || !textLength) return undefined
  const end = textLength.end + textLength.value
  if (type.value !== 0 || end !== length.end + length.value || length.value > maxResponseBytes)
    throw new Error('this is not a status')
  return received.length < end ? undefined : received.toString('utf8', textLength.end, end)
}
