import { type RequiredPermission, requiredPermissions } from '@innkeeper/contract/api/permissions'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ClientMessage } from '@innkeeper/contract/servers/live'
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
} from '@innkeeper/contract/servers/node-servers'
import { getStatsHistory } from '@innkeeper/contract/servers/stats-history'
import { use, useCallback, useEffect, useEffectEvent, useMemo, useState, useSyncExternalStore } from 'react'
import { isPanelUnreachable, isRefusal, request } from '../api/request.ts'
import { ShowErrorContext } from '../api/show-error.ts'
import {
  type ConsoleSink,
  type HttpFallback,
  type PageVisibility,
  ServerConnection,
  type ServerSnapshot,
} from './server-connection.ts'
import { emptyHistory, type StatsHistory, toStatsPoints } from './stats-history.ts'

/** The state of a server without its statistics. */
export type ServerState = Omit<ServerSnapshot, 'stats'>

/** The statistics of a server. They change every few seconds: components subscribe to them with `useServerStats`. */
export interface StatsStore {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => StatsHistory
}

/**
 * Watches a server while the page is open and writes its console output to `console`. A socket keeps the permissions that
 * it was opened with: when they change, another one is opened.
 */
export function useServerConnection(
  id: string,
  console: ConsoleSink,
  can: (permission: RequiredPermission) => boolean,
  /** The user has further permissions. */
  onPermissions: () => void,
): { readonly connection: ServerConnection | undefined; readonly state: ServerState; readonly stats: StatsStore } {
  const showError = use(ShowErrorContext)
  const canNow = useEffectEvent(can)
  const onError = useEffectEvent(showError)
  const notifyPermissions = useEffectEvent(onPermissions)
  const [connection, setConnection] = useState<ServerConnection>()
  const permissions = requiredPermissions.filter(can).join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: other permissions need another socket
  useEffect(() => {
    const opened = new ServerConnection({
      open: () => new WebSocket(socketUrl(id)),
      calls: httpFallback(id),
      page: pageVisibility,
      console,
      can: (permission) => canNow(permission),
      onError: (error) => onError(error),
      onPermissions: () => notifyPermissions(),
      findUnreachable: (failure) =>
        isPanelUnreachable(failure) ? 'panel' : isRefusal(failure, 'ErrServiceNotAvailable') ? 'node' : undefined,
      toRefusal: (error) => refusalFrom({ error }) ?? new Refusal('ErrUnknownError'),
    })
    setConnection(opened)
    return () => {
      opened.close()
      // The next socket replays the console from the beginning.
      console.reset()
    }
  }, [id, console, permissions])

  const [initial] = useState<ServerSnapshot>(() => ({
    connection: { status: 'connecting', failures: 0 },
    status: undefined,
    stats: emptyHistory(Date.now()),
    unreachable: undefined,
  }))
  const subscribe = useCallback(
    (listener: () => void) => connection?.subscribe(listener) ?? (() => undefined),
    [connection],
  )
  const getSnapshot = () => connection?.snapshot() ?? initial
  const state: ServerState = {
    connection: useSyncExternalStore(subscribe, () => getSnapshot().connection),
    status: useSyncExternalStore(subscribe, () => getSnapshot().status),
    unreachable: useSyncExternalStore(subscribe, () => getSnapshot().unreachable),
  }
  const stats = useMemo(
    () => ({ subscribe, getSnapshot: () => (connection?.snapshot() ?? initial).stats }),
    [subscribe, connection, initial],
  )
  return { connection, state, stats }
}

export function useServerStats({ subscribe, getSnapshot }: StatsStore): StatsHistory {
  return useSyncExternalStore(subscribe, getSnapshot)
}

function socketUrl(id: string): string {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return `${scheme}//${location.host}/proxy${liveSocketPath.replace(':id', id)}`
}

const powerEndpoints = {
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
    statsHistory: async (signal) =>
      toStatsPoints(await request(getStatsHistory, { params, query: { range: 'hour' } }, { signal })),
    async send(message: ClientMessage) {
      if (message.type === 'console') await request(sendCommand, { params, body: message.command })
      else if (message.type === 'reload') await request(reloadServer, { params })
      else if (message.type in powerEndpoints) {
        await request(powerEndpoints[message.type as keyof typeof powerEndpoints], { params, query: {} })
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
