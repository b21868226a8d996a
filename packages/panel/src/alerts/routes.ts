import * as calls from '@innkeeper/contract/alerts/alerts'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import type { UserPrincipal } from '../access/principal.ts'
import type { Database } from '../database/schema.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import type { AlertChannels } from './channels.ts'
import { listDeliveries } from './deliveries.ts'

/** Test messages of a user to channels of servers within a window of the rate limiter. */
const maxTestMessages = 20

interface Deps {
  readonly alertChannels: AlertChannels
  readonly db: Database
  readonly limiter: Pick<RateLimiter, 'consume'>
}

export function alertRoutes(registerRoute: RegisterRoute, { alertChannels: channels, db, limiter }: Deps): void {
  registerRoute(calls.listAlertChannels, ({ principal }) => channels.list(principal))
  registerRoute(calls.createAlertChannel, ({ body, principal, audit }) => channels.create(body, principal, audit))
  registerRoute(calls.putAlertChannel, ({ params, body, principal, audit, preconditions: { expectedVersion } }) =>
    channels.replace(params.id, body, principal, audit, { expectedVersion }),
  )
  registerRoute(calls.deleteAlertChannel, ({ params, audit }) => channels.remove(params.id, audit))
  registerRoute(calls.testAlertChannel, ({ params, audit }) => channels.test(params.id, audit))
  registerRoute(calls.listAlertDeliveries, ({ query }) => listDeliveries(db, query))

  registerRoute(calls.listServerAlertChannels, ({ params, principal }) => channels.list(principal, params.id))
  registerRoute(calls.createServerAlertChannel, ({ params, body, principal, audit }) => {
    requireOwnAddress(body, principal)
    return channels.create(ofServer(body, params.id), principal, audit, params.id)
  })
  registerRoute(calls.putServerAlertChannel, ({ params, body, principal, audit, preconditions }) => {
    requireOwnAddress(body, principal)
    const options = { server: params.id, expectedVersion: preconditions.expectedVersion }
    return channels.replace(params.channel, ofServer(body, params.id), principal, audit, options)
  })
  registerRoute(calls.deleteServerAlertChannel, ({ params, audit }) =>
    channels.remove(params.channel, audit, params.id),
  )
  registerRoute(calls.testServerAlertChannel, async ({ params, principal, audit }) => {
    await limiter.consume([{ key: `alert tests of user ${principal.userId}`, max: maxTestMessages }])
    return channels.test(params.channel, audit, params.id)
  })
  registerRoute(calls.listServerAlertDeliveries, ({ params, query }) => listDeliveries(db, query, params.id))
}

/** Users do not get alerts about nodes. */
function ofServer<T extends calls.ServerChannelChange>(
  body: T,
  server: string,
): T & Pick<calls.ChannelInput, 'servers' | 'diskFullPercent'> {
  return { ...body, servers: [server], diskFullPercent: limits.diskFullPercent }
}

/** Otherwise users could send mail to anyone. */
function requireOwnAddress(
  { type, target }: calls.ServerChannelChange,
  { email, isEmailConfirmed }: UserPrincipal,
): void {
  if (target === undefined) return
  const isOwn = isEmailConfirmed && target.toLowerCase() === email.toLowerCase()
  if (type === 'mail' && !isOwn) throw new Refusal('ErrFieldInvalid', { field: 'target' })
}
