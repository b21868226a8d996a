import { DnsServer, tsigKey, zone } from '@innkeeper/panel/testing/dns-servers'
import { accessibilityViolations } from './testing/accessibility.ts'
import { Api } from './testing/api.ts'
import { createServer, expect, firstAdmin, test } from './testing/fixtures.ts'
import { controlsOutside, sidewaysScroll } from './testing/layout.ts'
import { freePorts, SecondNode } from './testing/second-node.ts'
import { newBrowserPage, wren } from './testing/second-user.ts'

const phone = { width: 360, height: 740 }
const farNode = 'the-machine-in-the-attic-behind-old-boxes'

test('users read why their node is in maintenance, and a new server goes to the node that takes some', async ({
  adminPage: page,
  installation,
  browser,
}) => {
  test.setTimeout(240_000)
  const api = await Api.signIn(installation.url, firstAdmin)
  await using _node = await SecondNode.join(api, farNode)
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'cat' } })
  const { id: user } = (await api.post('/api/users', wren)) as { id: number }
  await api.post(`/api/users/${user}/email/confirm`)
  await api.put(`/api/servers/${id}/user/${wren.email}`, { viewServerConsole: true })
  const userPage = await newBrowserPage(browser)
  await (await Api.signIn(installation.url, wren)).signInTo(userPage.context())

  await page.goto(`${installation.url}/node/0`)
  const form = page.getByRole('form', { name: 'Availability' })
  await form.getByRole('combobox', { name: 'State of the node' }).selectOption('Maintenance')
  await form.getByRole('textbox', { name: 'Reason' }).fill('New disks')
  await form.getByRole('textbox', { name: 'Reason' }).press('Enter')
  await expect(form.getByRole('button', { name: 'Save' })).toBeHidden()
  expect(await accessibilityViolations(page)).toEqual([])
  await userPage.goto(`${installation.url}/server/${id}`)
  await expect(userPage.getByText(/is in maintenance: New disks/)).toBeVisible()
  expect(await accessibilityViolations(userPage)).toEqual([])

  await form.getByRole('combobox', { name: 'State of the node' }).selectOption('Draining')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByRole('button', { name: 'Save' })).toBeHidden()
  await page.setViewportSize(phone)
  await page.goto(`${installation.url}/addserver`)
  await page.getByRole('radiogroup', { name: 'Template' }).getByRole('radio', { name: 'Any command' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  const nodes = page.getByRole('radiogroup', { name: 'Where should it run?' })
  await expect(nodes.getByRole('radio', { name: /This node is draining/ })).toBeDisabled()
  await expect(nodes.getByRole('radio', { name: new RegExp(farNode) })).toBeChecked()
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await sidewaysScroll(page)).toEqual(0)

  // With two nodes that take servers, the one with more room is proposed, and the panel says why.
  await api.put('/api/nodes/0/availability', { state: 'active' })
  const [far] = ((await api.get('/api/nodes')) as { id: number; isLocal: boolean }[]).filter(({ isLocal }) => !isLocal)
  await api.put(`/api/nodes/${far?.id}/placement`, { labels: [], memoryFactor: 10, diskFactor: 1 })
  await page.goto(`${installation.url}/addserver`)
  await page.getByRole('radiogroup', { name: 'Template' }).getByRole('radio', { name: 'Any command' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(nodes.getByRole('radio', { name: /Proposed, because it has the largest share/ })).toBeChecked()
  await expect(nodes.getByRole('radio', { checked: true, name: new RegExp(farNode) })).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Arena')
  await page.getByRole('textbox', { name: 'Command' }).fill('cat')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Create server' }).click()
  await expect(page.getByRole('heading', { name: 'Arena' })).toBeVisible()
  const { servers } = (await api.get('/api/servers?name=Arena')) as { servers: { node: { name: string } }[] }
  expect(servers.map(({ node }) => node.name)).toEqual([farNode])
  await userPage.context().close()
})

test('a machine joins with a token of the page of nodes, and the token counts down and is revoked', async ({
  adminPage: page,
  installation,
}) => {
  await page.goto(`${installation.url}/node`)
  const card = page.getByRole('region', { name: 'Join many machines' })
  await card.getByRole('textbox', { name: 'Number of nodes' }).fill('2')
  await card.getByRole('button', { name: 'Create join token' }).press('Enter')
  const config = JSON.parse(await card.getByRole('status').locator('pre').innerText()) as object
  await expect(card.getByText('2 of 2 nodes can still join')).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])

  await using _node = await SecondNode.start(config, await freePorts())
  await page.setViewportSize(phone)
  await page.reload()

  await expect(card.getByText('1 of 2 nodes can still join')).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await sidewaysScroll(page)).toEqual(0)
  expect(await controlsOutside(page)).toEqual([])
  await card.getByRole('button', { name: /^Revoke join token/ }).press('Enter')
  await expect(card.getByText(/can still join/)).toHaveCount(0)
})

test('the names of servers are set up, and a server gets one that leads to it', async ({
  adminPage: page,
  installation,
}) => {
  test.setTimeout(120_000)
  await using dns = await DnsServer.bind()
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'cat' } })
  const admin = await Api.signIn(installation.url, firstAdmin)
  await admin.post('/api/settings', { 'panel.settings.masterUrl': 'http://192.0.2.7' })
  await page.goto(`${installation.url}/settings`)
  const form = page.getByRole('form', { name: 'Names of servers' })
  await form.getByText('BIND (RFC 2136)').click()
  await form.getByRole('textbox', { name: 'Zone' }).fill(zone)
  await form.getByRole('textbox', { name: 'Name server' }).fill(`127.0.0.1:${dns.port}`)
  await form.getByRole('textbox', { name: 'Name of the TSIG key' }).fill(tsigKey.name)
  await form.getByLabel('TSIG key', { exact: true }).fill(tsigKey.secret)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByRole('button', { name: 'Save' })).toBeHidden()

  await page.setViewportSize(phone)
  await page.goto(`${installation.url}/server/${id}?tab=settings`)
  const card = page.getByRole('region', { name: 'DNS name' })
  await card.getByRole('button', { name: 'Give a name' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('lobby')
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter')

  await expect(card.getByText('As it should be')).toBeVisible({ timeout: 60_000 })
  expect(await dns.resolve(`lobby.${zone}`, 'A')).toEqual(['192.0.2.7'])
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await sidewaysScroll(page)).toEqual(0)
  expect(await controlsOutside(page)).toEqual([])
})

test('an administrator adds a plan on a phone, and a shop orders a server with it', async ({
  adminPage: page,
  installation,
}) => {
  await page.setViewportSize(phone)
  await page.goto(`${installation.url}/settings`)
  const card = page.getByRole('region', { name: 'Plans of orders' })
  await card.getByRole('button', { name: 'Add plan' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add plan' })
  await dialog.getByRole('textbox', { name: 'Plan ID' }).fill('a-plan-whose-id-has-forty-characters-4gb')
  await dialog.getByRole('combobox', { name: 'Template' }).click()
  await page.getByRole('option', { name: 'Any command' }).click()
  await dialog.getByRole('textbox', { name: 'Memory (MiB)' }).fill('64')
  await dialog.getByRole('combobox', { name: 'Settings with a value of the plan' }).click()
  await page.getByRole('option', { name: 'Command' }).click()
  await dialog.getByRole('textbox', { name: 'Command' }).fill('cat')
  await dialog.getByRole('switch', { name: /^Set which backups/ }).press(' ')
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await controlsOutside(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()

  await expect(card.getByText('64 MiB of memory')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await sidewaysScroll(page)).toEqual(0)
  const api = await Api.signIn(installation.url, firstAdmin)
  const order = { plan: 'a-plan-whose-id-has-forty-characters-4gb', owner: { email: wren.email } }
  expect(await api.put('/api/external/myshop/1', order)).toMatchObject({ state: 'active' })
})
