import type { Definition } from './definition.ts'
import { findGameQuery, type GameQuery, type QueryType } from './query.ts'
import type { Variables } from './variables.ts'

export const sleepMinutes = { min: 1, max: 10_080 } as const

/** The types of query whose games send a known packet when a player joins, which wakes the server. */
export const sleepQueryTypes = [
  'minecraft',
  'minecraft-bedrock',
  'source',
  'quake3',
  'openttd',
  'teeworlds',
] as const satisfies readonly QueryType[]
export type SleepQueryType = (typeof sleepQueryTypes)[number]

/** When a server falls asleep, and how its game is asked then. */
export interface SleepSettings {
  readonly afterMinutes: number
  readonly query: GameQuery & { readonly type: SleepQueryType }
}

/** The texts of `findSleepObstacle`. */
export const sleepObstacles = {
  noQuery: 'the definition does not say how the game is asked for its players, in the field query',
  unknownJoins: 'it is not known how players of this game join, so nothing would wake the server',
} as const

/** Why a server cannot sleep: the number of players is not known, or no packet would wake it. Undefined when it can. */
export function findSleepObstacle(
  definition: Pick<Definition, 'query' | 'data'>,
): keyof typeof sleepObstacles | undefined {
  const query = findGameQuery(definition)
  if (!query) return 'noQuery'
  return isSleepQuery(query, definition.data) ? undefined : 'unknownJoins'
}

/** When a server falls asleep; undefined when it never does. */
export function findSleep(definition: Pick<Definition, 'query' | 'data' | 'run'>): SleepSettings | undefined {
  const { sleepAfterMinutes: minutes = 0 } = definition.run
  const query = findGameQuery(definition)
  if (minutes < sleepMinutes.min || !query || !isSleepQuery(query, definition.data)) return undefined
  return { afterMinutes: Math.min(minutes, sleepMinutes.max), query }
}

/** Games with the Source engine answer A2S at the port of the game. Other games do so at another port, and how players join them is not known. */
function isSleepQuery(query: GameQuery, data: Variables): query is SleepSettings['query'] {
  const port = findGameQuery({ query: { type: query.type }, data })?.port
  return sleepQueryTypes.some((type) => type === query.type) && (query.type !== 'source' || query.port === port)
}
