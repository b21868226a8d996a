import * as calls from '@innkeeper/contract/clones/clones'
import { limits } from '@innkeeper/contract/text/limits'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { Clones } from './clones.ts'

export function cloneRoutes(registerRoute: RegisterRoute, clones: Clones): void {
  registerRoute(
    calls.cloneServer,
    ({ principal, params, body, audit }) => clones.start(principal, params.id, body, audit),
    { bodyBytes: limits.definitionBytes },
  )
  registerRoute(calls.getClone, ({ principal, params }) => clones.find(principal, params.id))
  registerRoute(calls.listFailedClones, ({ principal }) => clones.failed(principal))
  registerRoute(calls.dismissFailedClone, ({ principal, params }) => clones.dismiss(principal, params.id))
  registerRoute(calls.cancelClone, ({ principal, params, audit }) => clones.cancel(principal, params.id, audit))
}
