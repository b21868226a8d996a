import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { PageQuery, Paging } from '../api/paging.ts'
import { VariableValue } from '../definitions/variables.ts'
import { NodeLabels } from '../nodes/placement.ts'
import { limits } from '../text/limits.ts'
import { Email, ServerName, Username, VariableName } from '../text/names.ts'
import { ServerId } from '../text/server-id.ts'
import { PlanName } from './plans.ts'

/** An ID that a shop gives: of itself, or of an order. */
const ShopKey = z.string().check(z.maxLength(64), z.regex(/^[0-9A-Za-z][0-9A-Za-z._-]*$/))

const OnOrder = z.object({ shop: ShopKey, order: ShopKey })

/**
 * `creating`: the server does not exist yet; the panel tries again by itself. `ended`: the server is off and suspended, and
 * is deleted at `deleteAt`. `deleted`: also when somebody has deleted the server.
 */
export const orderStates = ['creating', 'active', 'suspended', 'ended', 'deleted'] as const
export type OrderState = (typeof orderStates)[number]

export const OrderInput = z.strictObject({
  plan: PlanName,
  /** A user with this address gets the server; without one the panel creates the user, with a free name like `username`. */
  owner: z.strictObject({ email: Email, username: z.optional(Username) }),
  /** Another name when it is taken; without it, the ID of the server. */
  name: z.optional(ServerName),
  /** By default that of the plan, or one that the panel chooses. */
  node: z.optional(z.int().check(z.minimum(0))),
  /** Labels that the node must have in addition to those of the plan, unless a node is named. */
  labels: z._default(NodeLabels, []),
  /** Values of variables of the template, instead of those of the plan. */
  variables: z._default(z.record(VariableName, VariableValue), {}),
})
export type OrderInput = z.output<typeof OrderInput>

export const Order = z.object({
  shop: z.string(),
  order: z.string(),
  plan: z.string(),
  state: z.enum(orderStates),
  owner: z.optional(z.object({ id: z.number(), username: z.string(), email: z.string() })),
  server: z.optional(z.object({ id: ServerId, name: z.string(), node: z.number() })),
  /** Whether something is still to be done on the node. The panel tries again by itself, and at once with the next PUT. */
  isPending: z.boolean(),
  /** Why the last attempt failed. */
  error: z.optional(z.object({ code: z.string(), message: z.string() })),
  /** When the limits were last changed, ISO 8601. A server that runs since before has them from its next start. */
  limitsChangedAt: z.optional(z.string()),
  /** Why the server is suspended, by the shop or by an administrator. */
  suspension: z.optional(z.string()),
  /** ISO 8601. */
  deleteAt: z.optional(z.string()),
  createdAt: z.string(),
})
export type Order = z.infer<typeof Order>

/** Newest first. */
export const listOrders = endpoint('GET', '/api/external', {
  access: { scope: 'servers.admin' },
  query: PageQuery,
  response: z.object({ orders: z.array(Order), paging: Paging }),
})

export const getOrder = endpoint('GET', '/api/external/:shop/:order', {
  access: { scope: 'servers.admin' },
  params: OnOrder,
  response: Order,
})

/**
 * Creates the server of an order, and its owner if there is no user with the address. It can be repeated, also at the same
 * time: there is one server. Owner, name, node and variables are those of the call that creates the server. With another plan
 * the server gets its limits, ports and backups; the template stays. Within the time of grace it brings the server back.
 * After an error the panel tries again by itself; the order shows when it has succeeded.
 */
export const putOrder = endpoint('PUT', '/api/external/:shop/:order', {
  access: { scope: 'servers.admin' },
  audit: 'order.put',
  params: OnOrder,
  body: OrderInput,
  response: Order,
  // The node may be offline, or the plan have no template any more.
  errorStatuses: [404, 502],
})

const Reason = z.string().check(z.trim(), z.minLength(1), z.maxLength(limits.suspensionReasonMax))

/**
 * Ends an order: the server is stopped and suspended at once, and deleted after the time of grace. An order that has ended
 * stays as it is.
 */
export const endOrder = endpoint('DELETE', '/api/external/:shop/:order', {
  access: { scope: 'servers.admin' },
  audit: 'order.end',
  params: OnOrder,
  query: z.object({
    /** By default that of the plan. 0 deletes the server at once. */
    graceDays: z.optional(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(limits.graceDaysMax))),
  }),
  response: Order,
})

/** Suspends the server, with a reason for its users. ErrOrderState unless the order is active or suspended. */
export const suspendOrder = endpoint('POST', '/api/external/:shop/:order/suspend', {
  access: { scope: 'servers.admin' },
  audit: 'order.suspend',
  params: OnOrder,
  body: z.strictObject({ reason: Reason }),
  response: Order,
})

/** Ends the suspension by the shop; one by an administrator stays. */
export const resumeOrder = endpoint('POST', '/api/external/:shop/:order/resume', {
  access: { scope: 'servers.admin' },
  audit: 'order.resume',
  params: OnOrder,
  response: Order,
})

/**
 * A link that signs the owner in, once and within 60 seconds. Only for users that an order of this shop has created, so that
 * a customer with the address of somebody else does not get into that account, and never for one with permissions in the
 * panel: ErrNoPermission.
 */
export const createSignInLink = endpoint('POST', '/api/external/:shop/:order/sign-in-link', {
  access: { scope: 'servers.admin' },
  audit: 'order.signIn',
  params: OnOrder,
  /** The path is relative to the address of the panel. */
  response: z.object({ path: z.string(), expiresAt: z.string() }),
  errorStatuses: [429],
})
