import { z } from 'zod/mini'
import { compilePattern } from '../text/pattern.ts'
import type { Definition } from './definition.ts'

/**
 * What a line of the console reports of a player. Chat comes first: what a player writes could look like another one.
 * After a line of chat or of a death the player counts as online too.
 */
export const playerEvents = ['chat', 'join', 'leave', 'death'] as const
export type PlayerEvent = (typeof playerEvents)[number]

/** A pattern (`pattern.ts`) with a group `name`, or one of several. A leave may have a group `id` instead. */
export interface PlayerPattern {
  readonly event: PlayerEvent
  readonly pattern: string
}

/** The groups of patterns that are used. */
export const playerGroups = ['name', 'id'] as const

const maxPatternsPerEvent = 5

const Patterns = z.union([z.string(), z.array(z.string()).check(z.maxLength(maxPatternsPerEvent))])
/** Unknown events are ignored. */
const Players = z.looseObject({ patterns: z.nullish(z.record(z.string(), z.unknown())) })

/** A field of a definition that is not valid, and why, if there is more to say. */
export interface InvalidPattern {
  readonly field: string
  readonly reason?: string
}

/** The patterns of a definition in the order in which a line is matched; invalid ones are left out. */
export function getPlayerPatterns(definition: Pick<Definition, 'players'>): readonly PlayerPattern[] {
  return readPatterns(definition).flatMap(({ event, pattern }) =>
    event !== undefined && problemOfPattern(event, pattern) === undefined ? [{ event, pattern }] : [],
  )
}

/** The patterns of a definition that cannot be used. */
export function invalidPlayerPatterns(definition: Pick<Definition, 'players'>): readonly InvalidPattern[] {
  return readPatterns(definition).flatMap(({ field, event, pattern }) => {
    if (event === undefined) return [{ field }]
    const reason = problemOfPattern(event, pattern)
    return reason === undefined ? [] : [{ field, reason }]
  })
}

type ReadPattern =
  | { readonly field: string; readonly event: PlayerEvent; readonly pattern: string }
  | { readonly field: string; readonly event?: undefined; readonly pattern?: undefined }

function readPatterns({ players }: Pick<Definition, 'players'>): readonly ReadPattern[] {
  // `invalidPlayerFields` reports what is not an object.
  if (typeof players !== 'object' || players === null || Array.isArray(players)) return []
  const { data } = Players.safeParse(players)
  if (!data) return [{ field: 'players.patterns' }]
  const raw = data.patterns ?? {}
  return playerEvents.flatMap((event): ReadPattern[] => {
    const field = `players.patterns.${event}`
    const { success, data: patterns } = Patterns.safeParse(Object.hasOwn(raw, event) ? raw[event] : [])
    if (!success) return [{ field }]
    if (typeof patterns === 'string') return [{ field, event, pattern: patterns }]
    return patterns.map((pattern, at) => ({ field: `${field}.${at}`, event, pattern }))
  })
}

function problemOfPattern(event: PlayerEvent, text: string): string | undefined {
  try {
    const groups = Object.keys(compilePattern(text).namedGroups())
    if (groups.includes('name') || (event === 'leave' && groups.includes('id'))) return undefined
    return 'it has no group "name", as in (?<name>\\w+)'
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}
