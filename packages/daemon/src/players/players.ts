import { z } from 'zod'

const Count = z.number().int().min(0).max(1_000_000)

/** Players on a game server, and how many fit, as the game reports them. */
export const Players = z.object({ online: Count, max: Count })
export type Players = z.infer<typeof Players>

/** Where a game is asked for its players. */
export interface QueryTarget {
  readonly host: string
  readonly port: number
  /** Ends the query, at the latest after its timeout. */
  readonly signal: AbortSignal
}
