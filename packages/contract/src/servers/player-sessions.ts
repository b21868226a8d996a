import { z } from 'zod/mini'
import { nodeEndpoint } from '../api/endpoint.ts'
import { PageQuery, Paging } from '../api/paging.ts'
import { OnServer } from '../api/params.ts'
import { PlayerName } from './players.ts'

/**
 * Who has played on a server in the last year, from lines of its console (`player-patterns.ts`) and from answers of its
 * game. These are data of people: users can export and delete them.
 */

/** The time in which a player was online without a break. Without `until` the player is. */
export const PlayerSession = z.extend(PlayerName, {
  /** ISO 8601. */
  since: z.string(),
  until: z.optional(z.string()),
})
export type PlayerSession = z.infer<typeof PlayerSession>

/** A player with all sessions of that name. */
export const SeenPlayer = z.extend(PlayerName, {
  isOnline: z.boolean(),
  /** ISO 8601. */
  firstSeen: z.string(),
  lastSeen: z.string(),
  sessions: z.int(),
  /** How long the sessions were together. */
  totalMs: z.number(),
})
export type SeenPlayer = z.infer<typeof SeenPlayer>

const Search = z.extend(PageQuery, {
  /** A part of the name, in any case, or of the ID. */
  query: z.optional(z.string().check(z.maxLength(100))),
})

/** Newest first. */
export const listPlayerSessions = nodeEndpoint('GET', '/daemon/server/:id/players/sessions', {
  access: { onServer: 'viewServerPlayers' },
  query: Search,
  response: z.object({ sessions: z.array(PlayerSession), paging: Paging }),
})

/** Each name once, the one that was seen last first. */
export const listSeenPlayers = nodeEndpoint('GET', '/daemon/server/:id/players/seen', {
  access: { onServer: 'viewServerPlayers' },
  query: Search,
  response: z.object({ players: z.array(SeenPlayer), paging: Paging }),
})

export const sessionExportFormats = ['csv', 'jsonl'] as const
export type SessionExportFormat = (typeof sessionExportFormats)[number]

/**
 * All sessions as a file, oldest first: one line of JSON each, or CSV, where a name that a spreadsheet would take for a
 * formula begins with an apostrophe.
 */
export const exportPlayerSessions = nodeEndpoint('GET', '/daemon/server/:id/players/sessions/export', {
  access: { onServer: 'viewServerPlayers' },
  query: z.object({ format: z._default(z.enum(sessionExportFormats), 'csv') }),
  response: z.unknown(),
  stream: 'response',
})

/**
 * Deletes all sessions of a name, for which the name must be exactly the same. The name is in the body, because addresses of
 * requests are logged. Not for those who only watch players: a permission of its own would be one that nobody has alone.
 */
export const deletePlayerSessions = nodeEndpoint('POST', '/daemon/server/:id/players/sessions/delete', {
  access: { onServer: 'editServerData' },
  audit: 'server.players.delete',
  params: OnServer,
  body: z.strictObject({ name: z.string().check(z.minLength(1), z.maxLength(100)) }),
})

/** Deletes all sessions of the server. */
export const deleteAllPlayerSessions = nodeEndpoint('DELETE', '/daemon/server/:id/players/sessions', {
  access: { onServer: 'editServerData' },
  audit: 'server.players.deleteAll',
})
