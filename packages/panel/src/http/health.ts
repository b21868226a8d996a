import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getHealth, getReadiness } from '@innkeeper/contract/settings/panel'
import { ping } from '../database/expressions.ts'
import type { Database } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { RegisterRoute } from '../routing/route-context.ts'

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'isLocalReady'>
}

/** Liveness and readiness endpoints. */
export function healthRoutes(registerRoute: RegisterRoute, { db, nodes }: Deps): void {
  registerRoute(getHealth, () => ({ alive: true }))
  registerRoute(getReadiness, async () => {
    await ping(db)
    if (!(await nodes.isLocalReady())) throw new Refusal('ErrServiceNotAvailable')
    return { ready: true }
  })
}
