import type { ClientMessage } from '@innkeeper/contract/live'
import {
  getConsole,
  getStats,
  getStatus,
  installServer,
  killServer,
  liveSocketPath,
  reloadServer,
  restartServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/node-servers'
import { type ServerRight, serverRights } from '@innkeeper/contract/permissions'
import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import { getStatsHistory } from '@innkeeper/contract/stats-history'
import { use, useCallback, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { isUnreachable } from '../api/record.ts'
import { isRefusal, request } from '../api/request.ts'
import { TellRefusalContext } from '../api/use-send.ts'
import { type ConsoleSink, type LiveView, type PageLife, type PlainCalls, ServerLive } from './server-live.ts'
import { emptyHistory, pointsOf } from './stats-history.ts'

/**
 * Watches a server while the page is open. Its console goes to `console`. What a socket may say was settled when it
 * opened: other rights need another one.
 */
export function useServerLive(id: string, console: ConsoleSink, may: (right: ServerRight) => boolean) {
  const tell = use(TellRefusalContext)
  const mayNow = useEffectEvent(may)
  const tellNow = useEffectEvent(tell)
  const [live, setLive] = useState<ServerLive>()
  const rights = serverRights.filter(may).join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: other rights, another socket
  useEffect(() => {
    const opened = new ServerLive({
      open: () => new WebSocket(socketUrlOf(id)),
      calls: plainCalls(id),
      page: browserPage,
      console,
      may: (right) => mayNow(right),
      onRefused: (refusal) => tellNow(refusal),
      unreachableIn: (failure) =>
        isUnreachable(failure) ? 'panel' : isRefusal(failure, 'ErrServiceNotAvailable') ? 'node' : undefined,
      refusalOf: (error) => refusalFrom({ error }) ?? new Refusal('ErrUnknownError'),
    })
    setLive(opened)
    return () => {
      opened.close()
      // Another socket begins at the beginning.
      console.startOver()
    }
  }, [id, console, rights])

  const [nothing] = useState<LiveView>(() => ({
    connection: { is: 'connecting', failures: 0 },
    status: undefined,
    stats: emptyHistory(Date.now()),
    unreachable: undefined,
  }))
  const subscribe = useCallback((listener: () => void) => live?.subscribe(listener) ?? (() => undefined), [live])
  const view = useSyncExternalStore(subscribe, () => live?.view() ?? nothing)
  return { live, view }
}

function socketUrlOf(id: string): string {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return `${scheme}//${location.host}/proxy${liveSocketPath.replace(':id', id)}`
}

const powerCalls = {
  start: startServer,
  stop: stopServer,
  kill: killServer,
  restart: restartServer,
  install: installServer,
}

function plainCalls(id: string): PlainCalls {
  const params = { id }
  return {
    status: (signal) => request(getStatus, { params }, { signal }),
    stats: (signal) => request(getStats, { params }, { signal }),
    console: (from, signal) => request(getConsole, { params, query: from === undefined ? {} : { from } }, { signal }),
    past: async (signal) => pointsOf(await request(getStatsHistory, { params, query: { range: 'hour' } }, { signal })),
    async send(message: ClientMessage) {
      if (message.type === 'console') await request(sendCommand, { params, body: message.command })
      else if (message.type === 'reload') await request(reloadServer, { params })
      else if (message.type in powerCalls) {
        await request(powerCalls[message.type as keyof typeof powerCalls], { params, query: {} })
      }
      // What only asks (status, statistics, replay) is polled anyway.
    },
  }
}

const browserPage: PageLife = {
  isVisible: () => document.visibilityState === 'visible',
  onChange(listener) {
    document.addEventListener('visibilitychange', listener)
    window.addEventListener('online', listener)
    return () => {
      document.removeEventListener('visibilitychange', listener)
      window.removeEventListener('online', listener)
    }
  },
}
