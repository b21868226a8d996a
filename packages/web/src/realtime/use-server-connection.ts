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
import { isRefusal, request } from '../api/request.ts'
import { isPanelUnreachable } from '../api/request-details.ts'
import { ShowErrorContext } from '../api/use-api-mutation.ts'
import {
  type ConsoleSink,
  type HttpFallback,
  type PageVisibility,
  ServerConnection,
  type ServerSnapshot,
} from './server-connection.ts'
import { emptyHistory, toStatsPoints } from './stats-history.ts'

/**
 * Watches a server while the page is open. Its console goes to `console`. What a socket may say was settled when it
 * opened: other rights need another one.
 */
export function useServerConnection(id: string, console: ConsoleSink, can: (right: ServerRight) => boolean) {
  const showError = use(ShowErrorContext)
  const mayNow = useEffectEvent(can)
  const tellNow = useEffectEvent(showError)
  const [connection, setLive] = useState<ServerConnection>()
  const rights = serverRights.filter(can).join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: other rights, another socket
  useEffect(() => {
    const opened = new ServerConnection({
      open: () => new WebSocket(socketUrl(id)),
      calls: httpFallback(id),
      page: pageVisibility,
      console,
      can: (right) => mayNow(right),
      onError: (refusal) => tellNow(refusal),
      findUnreachable: (failure) =>
        isPanelUnreachable(failure) ? 'panel' : isRefusal(failure, 'ErrServiceNotAvailable') ? 'node' : undefined,
      toRefusal: (error) => refusalFrom({ error }) ?? new Refusal('ErrUnknownError'),
    })
    setLive(opened)
    return () => {
      opened.close()
      // Another socket begins at the beginning.
      console.reset()
    }
  }, [id, console, rights])

  const [initialSnapshot] = useState<ServerSnapshot>(() => ({
    connection: { status: 'connecting', failures: 0 },
    status: undefined,
    stats: emptyHistory(Date.now()),
    unreachable: undefined,
  }))
  const subscribe = useCallback(
    (listener: () => void) => connection?.subscribe(listener) ?? (() => undefined),
    [connection],
  )
  const snapshot = useSyncExternalStore(subscribe, () => connection?.snapshot() ?? initialSnapshot)
  return { live: connection, view: snapshot }
}

function socketUrl(id: string): string {
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

function httpFallback(id: string): HttpFallback {
  const params = { id }
  return {
    status: (signal) => request(getStatus, { params }, { signal }),
    stats: (signal) => request(getStats, { params }, { signal }),
    console: (from, signal) => request(getConsole, { params, query: from === undefined ? {} : { from } }, { signal }),
    past: async (signal) =>
      toStatsPoints(await request(getStatsHistory, { params, query: { range: 'hour' } }, { signal })),
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

const pageVisibility: PageVisibility = {
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
