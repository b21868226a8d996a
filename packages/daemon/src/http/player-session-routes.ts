import { Readable } from 'node:stream'
import * as calls from '@innkeeper/contract/servers/player-sessions'
import { Semaphore } from '../concurrency/semaphore.ts'
import { exportSessions, pageSeenPlayers, pageSessions, type StoredSession } from '../players/sessions/session-lists.ts'
import type { Registry } from '../servers/registry.ts'
import { setAttachmentHeaders } from './requests/file-response.ts'
import { type Serve, StreamResponse } from './requests/serve.ts'

/** The sessions of a server may need some 10 MiB while they are read. */
const readsAtOnce = 4

/** The sessions of players of one server. */
export function playerSessionRoutes(serve: Serve, servers: Registry): void {
  const reads = new Semaphore(readsAtOnce, { perKey: 1 })
  const readAll = async (id: string, signal: AbortSignal): Promise<readonly StoredSession[]> => {
    const { playerSessions } = servers.get(id)
    const ended = await reads.run(() => playerSessions.readEnded(), { key: id, signal })
    return [...ended, ...playerSessions.online]
  }

  serve(calls.listPlayerSessions, async ({ params, query, signal }) => {
    const { items, paging } = pageSessions(await readAll(params.id, signal), query)
    return { sessions: [...items], paging }
  })
  serve(calls.listSeenPlayers, async ({ params, query, signal }) => {
    const { items, paging } = pageSeenPlayers(await readAll(params.id, signal), query, Date.now())
    return { players: [...items], paging }
  })
  serve(calls.exportPlayerSessions, async ({ params, query: { format }, signal, reply }) => {
    const sessions = await readAll(params.id, signal)
    setAttachmentHeaders(reply, `${params.id}-players.${format}`)
    return new StreamResponse(Readable.from(exportSessions(sessions, format)))
  })
  serve(calls.deletePlayerSessions, ({ params, body }) => servers.get(params.id).playerSessions.forget(body.name))
  serve(calls.deleteAllPlayerSessions, ({ params }) => servers.get(params.id).playerSessions.forgetAll())
}
