import type { Definition } from './definition.ts'
import { findGameQuery, type GameQuery, type QueryType } from './query.ts'
import type { Variables } from './variables.ts'

export const sleepMinutes = { min: 1, max: 10_080 } as const

/** The games whose first packet of a player is known, so that it can wake the server. */
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

/** Why a server cannot sleep: nobody knows whether somebody plays, or what wakes it. Undefined when it can. */
export function whyNoSleep(definition: Pick<Definition, 'query' | 'data'>): 'noQuery' | 'unknownJoins' | undefined {
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

/** Other games than those with the Source engine answer A2S at a port of its own, and nobody knows how players join. */
function isSleepQuery(query: GameQuery, data: Variables): query is SleepSettings['query'] {
  const port = findGameQuery({ query: { type: query.type }, data })?.port
  return sleepQueryTypes.some((type) => type === query.type) && (query.type !== 'source' || query.port === port)
}
