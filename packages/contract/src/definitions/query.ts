import { z } from 'zod/mini'
import type { Definition } from './definition.ts'

/**
 * How a game reports its players: `minecraft` with the Server List Ping of Minecraft Java Edition, `source` with
 * A2S_INFO of games with the Source engine and others on Steam.
 */
export const queryTypes = ['minecraft', 'source'] as const
export type QueryType = (typeof queryTypes)[number]

const Query = z.looseObject({ type: z.enum(queryTypes) })

/** How the game is asked for its players; undefined when the definition does not say it, or says something unknown. */
export function findQueryType({ query }: Pick<Definition, 'query'>): QueryType | undefined {
  return Query.safeParse(query).data?.type
}
