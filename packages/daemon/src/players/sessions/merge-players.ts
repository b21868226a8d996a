import type { PlayerEvent } from '@innkeeper/contract/definitions/player-patterns'
import type { PlayerName } from '@innkeeper/contract/servers/players'

/** A player who is online. Times are epoch milliseconds. */
export interface OpenSession extends PlayerName {
  readonly since: number
  /** The last line about the player; missing when only the game has named them. */
  readonly lineAt?: number | undefined
}

export interface EndedSession extends PlayerName {
  readonly since: number
  readonly until: number
}

export interface OnlinePlayers {
  readonly open: readonly OpenSession[]
  /** Who has left lately, according to a line. */
  readonly left: readonly LeftPlayer[]
}

interface LeftPlayer extends Partial<PlayerName> {
  readonly at: number
}

/** What is learned of players: from a line of the console, from an answer of the game, or from the end of the process. */
export type PlayerReport =
  | { readonly type: PlayerEvent; readonly player: Partial<PlayerName>; readonly at: number }
  | {
      readonly type: 'list'
      readonly players: readonly PlayerName[]
      /** Whether everyone who is online is listed: some games name only a few. */
      readonly isComplete: boolean
      readonly at: number
    }
  | { readonly type: 'end'; readonly at: number }

interface Merged {
  readonly players: OnlinePlayers
  readonly ended: readonly EndedSession[]
}

/** Lines are newer than an answer for this long, because games answer with what they knew some seconds ago. */
export const lineLeadMs = 15_000
/** More are not recorded: a program may print any number of names. */
export const maxOpenSessions = 1_000

export const nobody: OnlinePlayers = { open: [], left: [] }

/** Who is online after a report, and the sessions that it ended. */
export function mergePlayers(players: OnlinePlayers, report: PlayerReport): Merged {
  switch (report.type) {
    case 'end':
      return { players: nobody, ended: players.open.map((session) => endSession(session, report.at)) }
    case 'list':
      return mergeList(players, report)
    case 'leave':
      return mergeLeave(players, report)
    default:
      return mergePresence(players, { ...report.player, at: report.at, lineAt: report.at })
  }
}

function mergeLeave(
  { open, left }: OnlinePlayers,
  { player, at }: { player: Partial<PlayerName>; at: number },
): Merged {
  const found = findSession(open, player)
  const { name, id } = { ...found, ...player }
  return {
    players: {
      open: open.filter((session) => session !== found),
      left: [...recent(left, at), { name, id, at }].slice(-maxOpenSessions),
    },
    ended: found ? [endSession(found, at)] : [],
  }
}

function mergeList(
  players: OnlinePlayers,
  { players: listed, isComplete, at }: PlayerReport & { type: 'list' },
): Merged {
  const left = recent(players.left, at)
  let merged: OnlinePlayers = { ...players, left }
  const ended: EndedSession[] = []
  for (const player of listed) {
    if (!findSession(merged.open, player) && left.some((other) => isSame(other, player))) continue
    const next = mergePresence(merged, { ...player, at })
    merged = next.players
    ended.push(...next.ended)
  }
  const isOnline = (session: OpenSession) =>
    !isComplete ||
    (session.lineAt !== undefined && at - session.lineAt < lineLeadMs) ||
    listed.some((player) => isSame(player, session))
  const { true: open = [], false: gone = [] } = Object.groupBy(merged.open, (one) => `${isOnline(one)}`)
  return { players: { ...merged, open }, ended: [...ended, ...gone.map((session) => endSession(session, at))] }
}

/** A player is online: continues the session, or begins one. One who has another name now begins another. */
function mergePresence(
  players: OnlinePlayers,
  { name, id, at, lineAt }: Partial<PlayerName> & { at: number; lineAt?: number },
): Merged {
  if (name === undefined) return { players, ended: [] }
  const { open } = players
  const found = findSession(open, { name, id })
  const others = open.filter((session) => session !== found)
  if (found?.name === name) {
    const session = { ...found, id: id ?? found.id, lineAt: lineAt ?? found.lineAt }
    return { players: { ...players, open: [...others, session] }, ended: [] }
  }
  const ended = found ? [endSession(found, at)] : []
  if (others.length >= maxOpenSessions) return { players: { ...players, open: others }, ended }
  const session = { name, id, since: at, lineAt }
  return { players: { ...players, open: [...others, session] }, ended }
}

const recent = (left: readonly LeftPlayer[], at: number) => left.filter((one) => at - one.at < lineLeadMs)

function findSession(open: readonly OpenSession[], player: Partial<PlayerName>): OpenSession | undefined {
  return open.find(({ id }) => id !== undefined && id === player.id) ?? open.find((one) => isSame(one, player))
}

/** Lines often have no ID: then the name decides. */
function isSame(a: Partial<PlayerName>, b: Partial<PlayerName>): boolean {
  if (a.id !== undefined && b.id !== undefined) return a.id === b.id
  return a.name !== undefined && a.name === b.name
}

/** The clock may have been set back. */
function endSession({ name, id, since }: OpenSession, at: number): EndedSession {
  return { name, id, since, until: Math.max(since, at) }
}
