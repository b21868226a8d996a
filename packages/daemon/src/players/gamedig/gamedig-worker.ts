import { parentPort } from 'node:worker_threads'
import { GameDig, games, type QueryResult } from 'gamedig'
import type { GameAnswer } from '../protocols/protocol.ts'

export interface GamedigRequest {
  readonly id: number
  readonly game: string
  readonly host: string
  readonly port: number
  readonly timeoutMs: number
}

export type GamedigResponse =
  | { readonly id: number; readonly answer: GameAnswer }
  | { readonly id: number; readonly problem: string }

/**
 * Protocols that only exchange UDP packets with the address that they are given. Others follow addresses of a server, or
 * ask lists on the internet.
 */
const protocols: readonly string[] = [
  ...['ase', 'cs2d', 'doom3', 'ffow', 'gamespy1', 'gamespy2', 'gamespy3', 'goldsrc', 'gtasao', 'hexen2', 'jc2mp'],
  ...['mafia2mp', 'mafia2online', 'quake1', 'quake2', 'quake3', 'rfactor', 'samp', 'savage2', 'unreal2', 'ut3'],
  ...['vcmp', 'ventrilo', 'warsow', 'xonotic'],
]
const maxNames = 500
const maxTextChars = 1_000

const gamedig = new GameDig()

parentPort?.on('message', (request: GamedigRequest) => void respond(request))

async function respond({ id, ...request }: GamedigRequest): Promise<void> {
  const response: GamedigResponse = await ask(request).then(
    (answer) => ({ id, answer }),
    (error: unknown) => ({ id, problem: error instanceof Error ? error.message : String(error) }),
  )
  parentPort?.postMessage(response)
}

async function ask({ game, host, port, timeoutMs }: Omit<GamedigRequest, 'id'>): Promise<GameAnswer> {
  const protocol = Object.hasOwn(games, game) ? games[game]?.options.protocol : undefined
  if (protocol === undefined || !protocols.includes(protocol)) throw new Error(`the game ${game} is not known`)
  const timeouts = { maxRetries: 1, socketTimeout: timeoutMs, attemptTimeout: timeoutMs }
  return toAnswer(await gamedig.query({ type: game, host, address: host, port, givenPortOnly: true, ...timeouts }))
}

/** Numbers may be texts. Some games count bots as players, others do not. */
function toAnswer({ numplayers, maxplayers, players, bots, map, version, name }: QueryResult): GameAnswer {
  const count = Number(numplayers)
  return {
    online: count >= players.length + bots.length ? count - bots.length : count,
    max: Number(maxplayers),
    ...(bots.length > 0 && { bots: bots.length }),
    names: players.slice(0, maxNames).map((player) => ({ name: toText(player.name) })),
    map: toText(map),
    version: toText(version),
    name: toText(name),
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, maxTextChars) : ''
}
