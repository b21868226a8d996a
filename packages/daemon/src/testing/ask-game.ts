import type { GameAnswer, ReadGame } from '../players/protocols/protocol.ts'
import { type GameServer, startTcpGame, startUdpGame } from './game-servers.ts'

async function ask(read: ReadGame, game: GameServer): Promise<GameAnswer> {
  await using _ = game
  return await read({ host: '127.0.0.1', port: game.port, signal: AbortSignal.timeout(5_000) })
}

/** Asks a game that answers each packet with those that `respond` returns. */
export async function askUdpGame(read: ReadGame, respond: (packet: Buffer) => readonly Buffer[]): Promise<GameAnswer> {
  return await ask(read, await startUdpGame(respond))
}

/** Asks a game that answers with these bytes. */
export async function askTcpGame(read: ReadGame, answer: Buffer): Promise<GameAnswer> {
  return await ask(read, await startTcpGame(answer))
}
