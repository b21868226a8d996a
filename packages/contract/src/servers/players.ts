import { z } from 'zod/mini'
import { nodeEndpoint } from '../api/endpoint.ts'
import { StatsValues } from './stats-history.ts'

const Count = z.int().check(z.minimum(0), z.maximum(1_000_000))

/** Players on a server and how many fit, as its game reports them, or as lines of its console show them. */
export const PlayerCounts = z.object({
  /** People, without bots. */
  online: Count,
  /** 0 when it is not known. */
  max: Count,
  /** Missing when the game does not tell them apart. */
  bots: z.optional(Count),
})
export type PlayerCounts = z.infer<typeof PlayerCounts>

/** `id` is that of the game, for example a UUID. */
export const PlayerName = z.object({ name: z.string(), id: z.optional(z.string()) })
export type PlayerName = z.infer<typeof PlayerName>

/**
 * What a game says of itself. All texts are those of the game, on one line and of limited length: they may be of anyone
 * who plays there.
 */
export const GameStatus = z.object({
  /** `names` are missing when the game does not tell them, and may be fewer than `online`. */
  players: z.extend(PlayerCounts, { names: z.optional(z.array(PlayerName)) }),
  map: z.optional(z.string()),
  version: z.optional(z.string()),
  /** The name of the server in the lists of the game. */
  name: z.optional(z.string()),
  /** How long the game took to answer, in milliseconds. */
  answeredMs: z.number(),
})
export type GameStatus = z.infer<typeof GameStatus>

/** A player who is online. */
export const OnlinePlayer = z.extend(PlayerName, {
  /** ISO 8601: when the player joined, or was first seen. */
  since: z.string(),
})
export type OnlinePlayer = z.infer<typeof OnlinePlayer>

/**
 * The latest answer of the game of a server, which is asked every 10 seconds while somebody looks. `status` is missing
 * while the game does not answer.
 */
export const getPlayers = nodeEndpoint('GET', '/daemon/server/:id/players', {
  access: { onServer: 'viewServerPlayers' },
  response: z.object({
    /** Whether the definition says how the game is asked. */
    isAsked: z.boolean(),
    status: z.optional(GameStatus),
    /** Who plays, from answers of the game and lines of the console. Older nodes do not know it. */
    online: z.optional(z.array(OnlinePlayer)),
    /** Whether the definition has patterns for lines about players. */
    hasPatterns: z.optional(z.boolean()),
  }),
})

/** Average and highest number of players in each half hour of the last 31 days, oldest first; `null` where unknown. */
export const getPlayerHistory = nodeEndpoint('GET', '/daemon/server/:id/players/history', {
  access: { onServer: 'viewServerPlayers' },
  response: z.object({
    /** Start of the first interval, epoch milliseconds. */
    fromMs: z.number(),
    stepMs: z.number(),
    players: StatsValues,
    playersPeak: StatsValues,
  }),
})
