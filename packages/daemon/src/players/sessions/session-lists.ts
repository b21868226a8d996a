import { getPaging, type PageQuery, type Paging } from '@innkeeper/contract/api/paging'
import type { PlayerSession, SeenPlayer, SessionExportFormat } from '@innkeeper/contract/servers/player-sessions'
import type { OnlinePlayer, PlayerName } from '@innkeeper/contract/servers/players'
import type { EndedSession, OpenSession } from './merge-players.ts'

/** Without `until` the player is online. */
export type StoredSession = OpenSession & Partial<Pick<EndedSession, 'until'>>

/** A page of what matches a query. */
interface Page<T> {
  readonly items: readonly T[]
  readonly paging: Paging
}

type Search = PageQuery & { readonly query?: string | undefined }

/** The sessions that match, newest first. */
export function pageSessions(sessions: readonly StoredSession[], search: Search): Page<PlayerSession> {
  const found = search.query ? sessions.filter(getFilter(search.query)) : sessions
  const newestFirst = found.toSorted((a, b) => a.since - b.since).reverse()
  return getPage(newestFirst, search, toPlayerSession)
}

/** The names that match, those of players who are online first, then the one that was seen last. */
export function pageSeenPlayers(sessions: readonly StoredSession[], search: Search, now: number): Page<SeenPlayer> {
  const seen = new Map<string, Omit<SeenPlayer, 'firstSeen' | 'lastSeen'> & { first: number; last: number }>()
  for (const { name, id, since, until = now } of sessions.toSorted((a, b) => a.since - b.since)) {
    const before = seen.get(name)
    seen.set(name, {
      name,
      id: id ?? before?.id,
      isOnline: false,
      first: before?.first ?? since,
      last: Math.max(before?.last ?? 0, until),
      sessions: (before?.sessions ?? 0) + 1,
      totalMs: (before?.totalMs ?? 0) + Math.max(0, until - since),
    })
  }
  const online = new Set(sessions.filter(({ until }) => until === undefined).map(({ name }) => name))
  const all = [...seen.values()].map((player) => ({ ...player, isOnline: online.has(player.name) }))
  const found = search.query ? all.filter(getFilter(search.query)) : all
  return getPage(
    found.toSorted((a, b) => Number(b.isOnline) - Number(a.isOnline) || b.last - a.last),
    search,
    ({ first, last, ...player }) => ({ ...player, firstSeen: toText(first), lastSeen: toText(last) }),
  )
}

export function toOnlinePlayer({ name, id, since }: OpenSession): OnlinePlayer {
  return { name, ...(id !== undefined && { id }), since: toText(since) }
}

/** Lines of a file with all sessions, oldest first, in pieces. */
export function* exportSessions(
  sessions: readonly StoredSession[],
  format: SessionExportFormat,
): Generator<string, void, undefined> {
  if (format === 'csv') yield toCsvLine(['name', 'id', 'since', 'until'])
  const sorted = sessions.toSorted((a, b) => a.since - b.since)
  for (let at = 0; at < sorted.length; at += linesPerPiece) {
    const lines = sorted.slice(at, at + linesPerPiece).map((stored) => {
      const session = toPlayerSession(stored)
      const { name, id = '', since, until = '' } = session
      return format === 'csv' ? toCsvLine([name, id, since, until]) : `${JSON.stringify(session)}\n`
    })
    yield lines.join('')
  }
}

const linesPerPiece = 1_000

/** RFC 4180. Spreadsheets run a cell that begins with one of these characters, also in quotes. */
const toCsvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => `"${/^[=+\-@\t\r]/.test(cell) ? "'" : ''}${cell.replaceAll('"', '""')}"`).join(',')}\r\n`

function getFilter(query: string): (player: PlayerName) => boolean {
  const text = query.toLowerCase()
  return ({ name, id = '' }) => name.toLowerCase().includes(text) || id.toLowerCase().includes(text)
}

function getPage<T, U>(found: readonly T[], { page, limit }: PageQuery, toItem: (item: T) => U): Page<U> {
  const items = found.slice((page - 1) * limit, page * limit).map(toItem)
  return { items, paging: getPaging({ page, limit }, found.length) }
}

function toPlayerSession({ name, id, since, until }: StoredSession): PlayerSession {
  return { name, id, since: toText(since), until: until === undefined ? undefined : toText(until) }
}

const toText = (at: number): string => new Date(at).toISOString()
