import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { exitText, findExplanation } from '../lifecycle/last-exit.ts'
import type { Registry } from '../servers/registry.ts'
import type { Server } from '../servers/server.ts'
import type { NodeEvents } from './node-events.ts'

/** Queues an event for each crash of a server, and when it is not restarted any more. */
export function watchCrashes(servers: Pick<Registry, 'servers' | 'onAdded'>, events: Pick<NodeEvents, 'add'>): void {
  for (const server of servers.servers) watch(server, events)
  servers.onAdded((server) => watch(server, events))
}

function watch(server: Pick<Server, 'id' | 'status' | 'onStatus'>, events: Pick<NodeEvents, 'add'>): void {
  // A crash that an earlier daemon has reported is in the saved state.
  let known = server.status.lastExit
  server.onStatus(({ lastExit }: ServerStatus) => {
    const before = known
    known = lastExit
    if (!lastExit) return
    const { reason, gaveUpAfter } = lastExit
    const detail = [exitText(lastExit), findExplanation(lastExit)].filter((text) => text !== undefined).join('. ')
    if (lastExit.at !== before?.at) {
      if (reason === 'crashed') events.add({ type: 'crashed', server: server.id, detail })
      if (reason === 'outOfMemory') events.add({ type: 'outOfMemory', server: server.id, detail })
    }
    if (gaveUpAfter !== undefined && before?.gaveUpAfter === undefined) {
      const outcome = reason === 'ended' ? 'ended within seconds of its start' : 'crashed'
      events.add({ type: 'crashLimit', server: server.id, detail: `It ${outcome} ${gaveUpAfter} times in a row` })
    }
  })
}
