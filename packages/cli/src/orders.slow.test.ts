import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAccountClient } from '@innkeeper/contract/accounts/oauth2'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { putNodePlacement } from '@innkeeper/contract/nodes/placement'
import { getOrder } from '@innkeeper/contract/orders/orders'
import { putPlan } from '@innkeeper/contract/orders/plans'
import { putTemplate } from '@innkeeper/contract/templates/templates'
import { test as base, expect, vi } from 'vitest'
import { readCommands } from './testing/commands-of.ts'
import { TestInstallation } from './testing/test-installation.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

interface Shop {
  readonly installation: TestInstallation
  /** Parameters of the functions of the example. */
  readonly client: {
    readonly panel: string
    readonly clientId: string
    readonly clientSecret: string
    readonly shop: string
  }
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
    const client = { panel: installation.url, clientId: id, clientSecret: secret, shop: 'example' }
    await use({ installation, client, token })
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

const module = fileURLToPath(new URL('../../../docs/examples/shop/innkeeper.php', import.meta.url))

test('the example in PHP sells servers of a real panel, and says what went wrong', async ({ shop }) => {
  const { installation, client } = shop
  const template = { type: 'game', data: {}, run: { command: 'cat', stop: 'stop' }, environment: { type: 'standard' } }
  await installation.send(putTemplate, { params: { name: 'game' }, body: template })
  for (const [name, memory] of Object.entries({ small: 300, large: 600 }))
    await installation.send(putPlan, { params: { name }, body: { template: 'game', limits: { memory }, node: 0 } })
  const params = {
    ...client,
    order: '7',
    plan: 'small',
    email: 'ada@example.org',
    name: 'Adas Welt – größer'.replace('–', '-'),
  }
  const run = async (name: string, more: Record<string, unknown> = {}) => {
    const script = `require $argv[1]; echo json_encode(innkeeper_${name}(json_decode($argv[2], true)));`
    const args = ['-d', 'display_errors=stderr', '-r', script, '--', module, JSON.stringify({ ...params, ...more })]
    const { stdout, stderr } = await promisify(execFile)('php', args)
    expect(stderr).toBe('')
    return JSON.parse(stdout) as unknown
  }
  const read = () => installation.send(getOrder, { params: { shop: client.shop, order: '7' } })

  const atOnce = await Promise.all([run('CreateAccount'), run('CreateAccount'), run('CreateAccount')])
  const created = await read()
  const changed = await run('ChangePackage', { plan: 'large' })
  const large = await read()
  const suspended = [await run('SuspendAccount'), (await read()).suspension]
  const resumed = [await run('UnsuspendAccount'), (await read()).state]
  const signIn = (await run('ServiceSingleSignOn')) as { redirectTo: string }
  const ended = [await run('TerminateAccount', { graceDays: 5 }), (await read()).state]
  const back = [await run('CreateAccount', { plan: 'large' }), await read()]
  const wrong = await run('CreateAccount', { plan: 'none' })
  const refused = await run('CreateAccount', { clientSecret: 'wrong' })
  const away = await run('TerminateAccount', { panel: 'http://127.0.0.1:9' })

  expect(atOnce).toEqual(['success', 'success', 'success'])
  expect(created).toMatchObject({ state: 'active', plan: 'small', server: { name: 'Adas Welt - größer' } })
  expect([changed, large.plan, large.server]).toEqual(['success', 'large', created.server])
  expect(suspended).toEqual(['success', 'An invoice is not paid.'])
  expect(resumed).toEqual(['success', 'active'])
  expect(signIn.redirectTo).toMatch(new RegExp(`^${installation.url}/auth/link#token=`))
  expect(ended).toEqual(['success', 'ended'])
  expect(back).toMatchObject(['success', { state: 'active', server: created.server }])
  expect(wrong).toBe('ErrFieldInvalid: plan is not valid')
  expect(refused).not.toBe('success')
  expect(away).toContain('The panel does not respond')
})
