import type { PlayerName } from '@innkeeper/contract/servers/players'

/** Where a game is asked. */
export interface QueryTarget {
  readonly host: string
  readonly port: number
  /** Where it lists its players, if that is another protocol. */
  readonly listPort?: number | undefined
  /** Ends the query, at the latest after its timeout. */
  readonly signal: AbortSignal
}

/** The answer of a game, unchecked: numbers and texts are whatever it sent. */
export interface GameAnswer {
  /** People, without bots. */
  readonly online: number
  readonly max: number
  readonly bots?: number | undefined
  /** Of people only. */
  readonly names?: readonly PlayerName[] | undefined
  readonly map?: string | undefined
  readonly version?: string | undefined
  readonly name?: string | undefined
}

/** Asks a game. Rejects when it does not answer as expected. */
export type ReadGame = (target: QueryTarget) => Promise<GameAnswer>
