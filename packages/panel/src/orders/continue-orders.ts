import { isAdmin } from '@innkeeper/contract/api/permissions'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { AuditContext } from '../access/audit-context.ts'
import type { Principal } from '../access/principal.ts'
import type { ActivityLog } from '../activity/activity.ts'
import type { Database } from '../database/schema.ts'
import { readGrants, requireUserById } from '../database/users.ts'
import type { Actor } from './order-creation.ts'
import type { LeasedOrder, OrderRows } from './order-rows.ts'
import type { OrderSteps } from './order-steps.ts'

/** Interval of looks for orders on which something is due: what failed, and servers whose time of grace is over. */
const defaultPollMs = 15_000
const ordersPerRun = 20

interface Deps {
  readonly db: Database
  readonly access: Pick<AccessService, 'requireScope'>
  readonly activity: Pick<ActivityLog, 'record'>
  readonly rows: Pick<OrderRows, 'leaseDue'>
  readonly steps: OrderSteps
  readonly log: Logger
  readonly pollMs?: number | undefined
}

/** Continues what calls could not finish, and deletes servers whose time of grace is over. */
export function continueOrders({ db, access, activity, rows, steps, log, pollMs = defaultPollMs }: Deps): PeriodicJob {
  /** The administrator whose client has sent the order, for work without a call. */
  async function actorOf(order: LeasedOrder): Promise<Actor> {
    const user = await requireUserById(db, order.created_by)
    const { scopes, roles } = await readGrants(db, user.id)
    const principal: Principal = {
      userId: user.id,
      username: user.username,
      email: user.email,
      isEmailConfirmed: user.email_confirmed_at !== null,
      sessionId: '',
      scopes,
      isAdmin: isAdmin(scopes),
      roles,
    }
    const about = { action: 'order.put', user, from: 'panel', result: 'done' } as const
    let server = order.server_id ?? undefined
    const audit: AuditContext = {
      setActor: () => {},
      setSubject: (subject) => {
        server = subject.server ?? server
      },
      skip: () => {},
      record: async (transaction) =>
        void (await activity.record({ ...about, server, target: `${order.shop}/${order.external_id}` }, transaction)),
    }
    return { principal: access.requireScope(principal, 'servers.create'), audit }
  }

  async function continueDue(): Promise<void> {
    for (const order of await rows.leaseDue(ordersPerRun)) {
      try {
        await steps.run(order, await actorOf(order))
      } catch (error) {
        log.warn(
          { err: error, shop: order.shop, order: order.external_id },
          'an order could not be completed; retrying',
        )
      }
    }
  }

  return new PeriodicJob({
    everyMs: pollMs,
    run: continueDue,
    onError: (err) => log.warn({ err }, 'orders could not be read'),
  })
}
