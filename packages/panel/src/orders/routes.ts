import * as calls from '@innkeeper/contract/orders/orders'
import * as planCalls from '@innkeeper/contract/orders/plans'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { OrdersService } from './orders.ts'
import type { PlansService } from './plans.ts'

interface Services {
  readonly plans: PlansService
  readonly orders: OrdersService
}

export function orderRoutes(registerRoute: RegisterRoute, { plans, orders }: Services): void {
  registerRoute(planCalls.listPlans, async () => ({ plans: await plans.list() }))
  registerRoute(planCalls.getPlan, async ({ params, preconditions }) => {
    const { plan, version } = await plans.get(params.name)
    preconditions.setVersion(version)
    return plan
  })
  registerRoute(planCalls.putPlan, ({ params, body, audit, preconditions: { expectedVersion } }) =>
    plans.put(params.name, body, audit, expectedVersion),
  )
  registerRoute(planCalls.deletePlan, ({ params, audit }) => plans.remove(params.name, audit))

  registerRoute(calls.listOrders, ({ query }) => orders.list(query))
  registerRoute(calls.getOrder, ({ params }) => orders.get(params))
  registerRoute(calls.putOrder, ({ principal, params, body, audit }) => orders.put(principal, params, body, audit))
  registerRoute(calls.endOrder, ({ params, query, audit }) => orders.end(params, query.graceDays, audit))
  registerRoute(calls.suspendOrder, ({ params, body, audit }) => orders.suspend(params, body.reason, audit))
  registerRoute(calls.resumeOrder, ({ params, audit }) => orders.resume(params, audit))
  registerRoute(calls.createSignInLink, ({ params, audit }) => orders.createSignInLink(params, audit))
}
