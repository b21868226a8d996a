import type { ServerSort, ServerUsage, ServerView, SortOrder } from '@innkeeper/contract/servers/servers'
import { hasCrashed, isNotResponding, type ServerStatus } from '@innkeeper/contract/servers/status'
import { getAddress } from '@innkeeper/contract/text/address'

/** Servers that need attention first. */
const statusOrder = [
  'crashed',
  'notResponding',
  'waiting',
  'stopping',
  'starting',
  'installing',
  'online',
  'sleeping',
  'suspended',
  'offline',
] as const

/** The sort key of a server; `undefined` when it is unknown. Unknown keys are last in either order. */
function sortKey(
  sort: ServerSort,
  server: ServerView,
  { status, stats, players, isOld, isSuspended }: Partial<ServerUsage>,
): string | number | undefined {
  switch (sort) {
    case 'name':
      return server.name
    case 'address':
      return getAddress(server)
    case 'node':
      return server.node.name
    case 'tags':
      return server.tags.length === 0 ? undefined : server.tags.join(' ')
    case 'status':
      if (isSuspended) return statusOrder.indexOf('suspended')
      return isOld || !status || status.isInDoubt ? undefined : statusOrder.indexOf(shownState(status))
    case 'players':
      return isOld ? undefined : players?.online
    case 'cpu':
    case 'memory':
      return isOld || !status?.running ? undefined : stats?.[sort]
  }
}

function shownState(status: ServerStatus) {
  if (status.sleeping) return 'sleeping'
  if (hasCrashed(status)) return 'crashed'
  return isNotResponding(status) ? 'notResponding' : status.state
}

/** Sorts by a column; servers that are equal in it stay sorted by name, ascending. */
export function sortServers(
  servers: readonly ServerView[],
  usage: ReadonlyMap<string, Partial<ServerUsage>>,
  sort: ServerSort,
  order: SortOrder,
): ServerView[] {
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  const direction = order === 'asc' ? 1 : -1
  const byName = (a: ServerView, b: ServerView) => collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
  const keys = new Map(servers.map((server) => [server.id, sortKey(sort, server, usage.get(server.id) ?? {})]))
  return [...servers].sort((a, b) => {
    const [left, right] = [keys.get(a.id), keys.get(b.id)]
    if (left === right) return byName(a, b)
    if (left === undefined) return 1
    if (right === undefined) return -1
    const difference =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : collator.compare(String(left), String(right))
    return difference === 0 ? byName(a, b) : direction * difference
  })
}
