import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createAccountClient } from '@innkeeper/contract/accounts/oauth2'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { putNodePlacement } from '@innkeeper/contract/nodes/placement'
import { getOrder } from '@innkeeper/contract/orders/orders'
import { test as base, expect, vi } from 'vitest'
import { readCommands } from './testing/commands-of.ts'
import { TestInstallation } from './testing/test-installation.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

interface Shop {
  readonly installation: TestInstallation
  /** Of the client of the shop. */
  readonly token: string
}

const test = base.extend<{ shop: Shop }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  shop: async ({}, use) => {
    await using installation = await TestInstallation.start()
    const { id, secret } = await installation.send(createAccountClient, { body: { name: 'Shop' } })
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
    const reply = await installation.fetch('/oauth2/token', { method: 'POST', body: new URLSearchParams(form) })
    const { access_token: token } = (await reply.json()) as { access_token: string }
    // The machine of the tests may be small.
    const settings = { labels: ['eu'], memoryFactor: 10, diskFactor: 10 }
    await installation.send(putNodePlacement, { params: { id: 0 }, body: settings })
    await use({ installation, token })
  },
})

test('the commands of the documentation create, suspend, resume and end a server on a real node', async ({ shop }) => {
  const { installation, token } = shop
  const env = { ...process.env, PANEL: installation.url, TOKEN: token }
  const params = { shop: 'myshop', order: '1001' }
  const read = () => installation.send(getOrder, { params })
  const [plan = '', put = '', get = '', suspensions = '', end = '', link = ''] = await readCommands('orders.md')
  const run = async (script: string) =>
    (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env })).stdout

  await run(plan)
  // Its node has reported its room when it answers.
  await vi.waitFor(async () => await run(put), { timeout: 60_000, interval: 500 })
  const again = await run(put)

  const order = await read()
  expect(order).toMatchObject({ state: 'active', isPending: false, owner: { username: 'ada' } })
  expect(JSON.parse(again)).toEqual(order)
  const definition = await installation.send(getDefinition, { params: { id: order.server?.id ?? '' } })
  expect(definition.environment?.limits).toMatchObject({ memory: 4096, cpu: 200, disk: 20_480 })
  expect(await run(get)).toContain('active')
  const [suspend = '', resume = ''] = suspensions.split(/\n(?=curl .*resume)/)
  await run(suspend)
  expect(await read()).toMatchObject({ state: 'suspended', suspension: 'The invoice of May is not paid.' })
  await run(resume)
  expect(await read()).toMatchObject({ state: 'active' })
  expect(JSON.parse(await run(link))).toMatchObject({ path: expect.stringContaining('/auth/link#token=') })
  await run(end)
  expect((await read()).state).toBe('ended')
  await run(end.replace('graceDays=14', 'graceDays=0'))
  await run(put)
  await run(end.replace('graceDays=14', 'graceDays=0'))
  await vi.waitFor(async () => expect((await read()).state).toBe('deleted'), { timeout: 60_000, interval: 200 })
})
