import type { GameStatus } from '@innkeeper/contract/servers/players'

/** The last answer of a game, with which status queries are answered while it sleeps. */
export type LastStatus = Pick<GameStatus, 'name' | 'map' | 'version'> & { readonly players: { readonly max: number } }

/** A player who joins, with the name if the first packet tells it. */
export interface JoiningPlayer {
  readonly name?: string | undefined
}

export interface UdpReply {
  readonly answer?: Buffer
  readonly join?: JoiningPlayer
}

/** The sender of a packet. */
export interface UdpClient {
  /** Four bytes that only the owner of the address receives. */
  readonly token: Buffer
}

/** Answers packets of a protocol over UDP in place of a game. */
export interface UdpProtocol {
  readonly transport: 'udp'
  /** Undefined for a packet that gets no answer. May throw for one that is not of the protocol. */
  reply(packet: Buffer, client: UdpClient, status: LastStatus): UdpReply | undefined
}

/** What follows from all that a client has sent in a connection. */
export interface TcpReplies {
  readonly answers: readonly Buffer[]
  readonly join?: JoiningPlayer | undefined
  /** Nothing is answered after that. */
  readonly isDone?: boolean
}

/** Answers connections of a protocol over TCP in place of a game. */
export interface TcpProtocol {
  readonly transport: 'tcp'
  /** Throws for what is not of the protocol. */
  reply(received: Buffer, status: LastStatus): TcpReplies
}

export type SleepProtocol = UdpProtocol | TcpProtocol

/** For players whose game cannot wait until the server is awake. */
export const wakingText = 'The server is waking up. Join again in a moment.'
