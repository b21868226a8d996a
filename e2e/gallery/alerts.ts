import { type AlertChannel, type AlertDelivery, alertTypes } from '@innkeeper/contract/alerts/alerts'
import type { Page } from '@playwright/test'

const usual = { version: 'v1', servers: [], quietHours: null, isEnabled: true, secret: '', diskFullPercent: 5 } as const
const onCall = '4c7b1c1e-0000-4000-8000-000000000001'
const night = '4c7b1c1e-0000-4000-8000-000000000002'

const channels: readonly AlertChannel[] = [
  {
    ...usual,
    id: onCall,
    name: 'On call',
    type: 'webhook',
    target: 'https://hooks.example.net/innkeeper',
    host: 'hooks.example.net',
    owner: { id: 1, username: 'mara' },
    alerts: [...alertTypes],
    servers: [],
    quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' },
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=',
  },
  {
    ...usual,
    id: night,
    name: 'The operators of all the northern servers',
    type: 'ntfy',
    target: 'https://ntfy.example.net/north',
    host: 'ntfy.example.net',
    owner: { id: 2, username: 'jonas' },
    paused: 'ownerLacksPermission',
    alerts: ['nodeOffline'],
    servers: [],
    isEnabled: false,
  },
]

const delivery = (id: number, fields: Partial<AlertDelivery>): AlertDelivery => ({
  ...{
    id: String(id),
    channelId: onCall,
    type: 'crashed',
    isResolved: false,
    title: 'Server crashed: lobby',
    isByNode: false,
  },
  ...{ state: 'sent', tries: 1, createdAt: new Date(Date.now() - id * 3_600_000).toISOString(), answer: 'ok' },
  ...fields,
})

const deliveries: readonly AlertDelivery[] = [
  delivery(1, { title: 'Server crashed: lobby (resolved)', isResolved: true }),
  delivery(2, { isByNode: true }),
  delivery(3, {
    ...{ channelId: night, type: 'nodeOffline', title: 'Node offline: Frankfurt 2', state: 'failed', tries: 6 },
    answer: 'ntfy.example.net is not on the public internet. An administrator can allow it with INNKEEPER_ALERT_ALLOW',
  }),
]

/** Answers with sample channels and deliveries. */
export async function fakeAlerts(page: Page): Promise<void> {
  await page.route('**/api/alerts/channels', (route) => route.fulfill({ json: channels }))
  const paging = { page: 1, pageSize: 10, maxSize: 100, total: deliveries.length }
  await page.route('**/api/alerts/deliveries?*', (route) => route.fulfill({ json: { deliveries, paging } }))
}
