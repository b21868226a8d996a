import type { Call } from '@innkeeper/contract/call'
import * as consoleHistory from '@innkeeper/contract/console-history'
import * as nodeServers from '@innkeeper/contract/node-servers'
import type { ServerRight } from '@innkeeper/contract/permissions'
import * as statsHistory from '@innkeeper/contract/stats-history'

/** A call on a server that a node serves for people, with the right it needs. */
export type ServersCall = Call & { readonly access: { readonly onServer: ServerRight } }

/** Every call that people may make of a node; what is not among them does not pass. */
export const passedCalls: readonly ServersCall[] = [consoleHistory, nodeServers, statsHistory]
  .flatMap((module) => Object.values<unknown>(module))
  .filter(isForPeople)

const shapes = passedCalls.map((call) => ({
  call,
  path: new RegExp(`^${call.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
}))

/** The call that a method and path ask for. */
export function nodeCallAt(
  method: string,
  path: string,
): { call: ServersCall; params: Readonly<Record<string, string>> } | undefined {
  for (const { call, path: shape } of shapes) {
    const match = call.method === method ? shape.exec(path) : null
    if (match) return { call, params: { ...match.groups } }
  }
  return undefined
}

function isForPeople(value: unknown): value is ServersCall {
  if (typeof value !== 'object' || value === null) return false
  const call: Partial<Call> = value
  return call.via === 'node' && typeof call.access === 'object' && 'onServer' in call.access
}
