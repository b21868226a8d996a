import type { Logger } from 'pino'
import { createPost } from '../network/post.ts'
import type { NodeEvents } from '../panel-link/node-events.ts'
import { MachineUsage } from '../proc/machine-usage.ts'
import type { Registry } from '../servers/registry.ts'
import { AlertFile } from './alert-file.ts'
import { NodeAlerts } from './node-alerts.ts'

interface Deps {
  readonly dataDir: string
  /** Non-public `host:port` that alerts may be sent to. */
  readonly allow: readonly string[]
  readonly version: string
  /** How long the panel must be away; 0 for never. */
  readonly afterMs: number
  readonly events: NodeEvents
  readonly servers: Registry
  readonly log: Logger
}

/** Opens what sends alerts while the panel is away, unless the node never does. */
export async function openNodeAlerts(deps: Deps): Promise<NodeAlerts | undefined> {
  const { dataDir, allow, version, afterMs: awayMs, events, servers, log } = deps
  if (awayMs === 0) return undefined
  const file = await AlertFile.open({ dataDir, log })
  const post = createPost({ allow, version })
  return new NodeAlerts({ file, events, servers, machine: new MachineUsage(dataDir), post, awayMs, log })
}
