import * as evacuationCalls from '@innkeeper/contract/moves/evacuations'
import * as calls from '@innkeeper/contract/moves/moves'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { Evacuations } from './evacuations.ts'
import type { Moves } from './moves.ts'

export function moveRoutes(registerRoute: RegisterRoute, moves: Moves): void {
  registerRoute(calls.planMove, ({ params, query }) => moves.plan(params.id, query.node))
  registerRoute(calls.moveServer, ({ principal, params, body, audit }) =>
    moves.start(principal, params.id, body, audit),
  )
  registerRoute(calls.getMove, ({ params }) => moves.find(params.id))
  registerRoute(calls.cancelMove, ({ params, audit }) => moves.cancel(params.id, audit))
  registerRoute(calls.goBack, ({ params, audit }) => moves.goBack(params.id, audit))
  registerRoute(calls.deleteFormerCopy, ({ params, audit }) => moves.deleteCopy(params.id, audit))
}

export function evacuationRoutes(registerRoute: RegisterRoute, evacuations: Evacuations): void {
  registerRoute(evacuationCalls.planEvacuation, ({ params, query: { to, labels = '', order } }) =>
    evacuations.plan(params.id, { to, labels: labels.split(',').filter((label) => label !== ''), order }),
  )
  registerRoute(evacuationCalls.evacuateNode, ({ principal, params, body, audit }) =>
    evacuations.start(principal, params.id, body, audit),
  )
  registerRoute(evacuationCalls.getEvacuation, ({ params }) => evacuations.find(params.id))
  registerRoute(evacuationCalls.cancelEvacuation, ({ params, audit }) => evacuations.cancel(params.id, audit))
}
