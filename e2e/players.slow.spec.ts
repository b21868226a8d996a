import { createSocket } from 'node:dgram'
import { fileURLToPath } from 'node:url'
import { freePort } from '@innkeeper/cli/testing/free-port'
import type { Browser, Page } from '@playwright/test'
import { accessibilityViolations } from './testing/accessibility.ts'
import { Api } from './testing/api.ts'
import { expect, firstAdmin, test } from './testing/fixtures.ts'
import type { TestInstallation } from './testing/test-installation.ts'

const arena = fileURLToPath(new URL('./testing/arena.mjs', import.meta.url))
const password = 'seven lamps in a row'
/** The node asks the game every 10 seconds. */
const soon = { timeout: 30_000 }
const names = ['Steve', 'Alex; quit']
const actions = [
  { type: 'kick', command: 'kick "{player}" {reason}' },
  { type: 'ban', command: 'ban "{player}"' },
  { type: 'message', command: 'tell "{player}" "{message}"' },
  { type: 'broadcast', command: 'say "{message}"' },
]

const define = (port: number, players: readonly string[], run: object = {}) => ({
  type: 'game',
  data: { ip: { value: '127.0.0.1' }, port: { value: port } },
  query: { type: 'quake3' },
  players: { actions },
  run: { command: ['node', arena, port, ...players.map((name) => `"${name}"`)].join(' '), stop: 'quit', ...run },
})

/** Starts a game with these players. Returns the path of its page, and its port. */
async function startArena(admin: Api, players: readonly string[] = names): Promise<{ path: string; port: number }> {
  const port = await freePort()
  const { id } = (await admin.post('/api/servers', { name: 'Arena', ...define(port, players) })) as { id: string }
  await admin.post(`/proxy/daemon/server/${id}/start?wait=true`)
  return { path: `/server/${id}`, port }
}

/** Opens the page of the server as a new user with these permissions only. */
async function openAs(
  browser: Browser,
  { installation, admin, path }: { installation: TestInstallation; admin: Api; path: string },
  { name, permissions, width }: { name: string; permissions: readonly string[]; width: number },
): Promise<Page> {
  const email = `${name}@example.net`
  await admin.post('/api/users', { username: name, email, password })
  const granted = Object.fromEntries(permissions.map((permission) => [permission, true]))
  await admin.put(`/api${path.replace('/server', '/servers')}/user/${email}`, granted)
  const context = await browser.newContext({ locale: 'en-US', viewport: { width, height: 850 } })
  await (await Api.signIn(installation.url, { email, password })).signInTo(context)
  const page = await context.newPage()
  await page.goto(installation.url + path)
  return page
}

test('moderators who hold one action only do it on wide screens and phones', async ({ installation, browser }) => {
  const admin = await Api.setUp(installation.url, installation.setupCode)
  const { path } = await startArena(admin)
  const on = { installation, admin, path }
  const permissions = ['viewServerPlayers', 'kickPlayers']

  for (const [width, name, player] of [
    [1440, 'wren', 'Steve'],
    [390, 'robin', 'Alex; quit'],
  ] as const) {
    await test.step(`kick a player at ${width} pixels`, async () => {
      const page = await openAs(browser, on, { name, permissions, width })
      const listed = page.getByRole('list', { name: 'Players' }).getByText(player, { exact: true })
      await expect(listed).toBeVisible(soon)
      await expect(page.getByRole('tab', { name: 'Console' })).toHaveCount(0)
      await expect(page.getByRole('button', { name: /^(Message|Ban|More actions for)/ })).toHaveCount(0)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)

      await page.getByRole('button', { name: `Kick: ${player}` }).click()
      const dialog = page.getByRole('dialog', { name: `Kick: ${player}` })
      await dialog.getByLabel('Reason').fill('No griefing; quit')
      await dialog.getByRole('button', { name: 'Kick' }).click()
      await expect(dialog.getByText('Reason must not contain ;')).toBeVisible()
      await dialog.getByLabel('Reason').fill('No griefing')
      await page.keyboard.press('Enter')
      await expect(page.getByText('Sent to the game')).toBeVisible()
      await expect(listed).toBeHidden(soon)
      await page.context().close()
    })
  }

  await test.step('a user who may only write to players writes', async () => {
    const page = await openAs(browser, on, { name: 'crow', permissions: ['messagePlayers'], width: 390 })
    await expect(page.getByText('You cannot see who plays')).toBeVisible()
    await page.getByRole('button', { name: 'Message to all' }).click()
    await page.getByRole('dialog').getByLabel('Message').fill('Restart in 5 minutes; quit')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Sent to the game')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Other player' })).toBeVisible()
    await page.context().close()
  })

  await test.step('the activity and the console have who did what to whom, and the game runs', async () => {
    const { activity } = (await admin.get('/api/activity?action=server.player.*&limit=100')) as {
      activity: { action: string; user: { username: string }; target: string; result: string }[]
    }
    expect(activity.map(({ action, user, target, result }) => [action, user.username, target, result])).toEqual([
      ['server.player.broadcast', 'crow', 'Restart in 5 minutes; quit', 'done'],
      ['server.player.kick', 'robin', 'Alex; quit: No griefing', 'done'],
      ['server.player.kick', 'wren', 'Steve: No griefing', 'done'],
    ])
    const proxied = `/proxy/daemon${path}`
    const { logs } = (await admin.get(`${proxied}/console`)) as { logs: string }
    expect(logs).toContain('[DAEMON] robin> kick "Alex; quit" No griefing\n')
    expect(logs).toContain('Alex; quit was kicked\n')
    expect(logs).toContain('ran: say "Restart in 5 minutes; quit"\n')
    expect(await admin.get(`${proxied}/status`)).toMatchObject({ state: 'online' })
  })
})

test('an administrator finds every action in the menus, and the actions are recorded for people', async ({
  installation,
  adminPage: page,
}) => {
  const admin = await Api.signIn(installation.url, firstAdmin)
  const { path } = await startArena(admin)

  const getSeen = async () => await admin.get(`/proxy/daemon${path}/players/seen`)
  await expect.poll(getSeen, soon).toMatchObject({ players: [{}, {}] })

  await page.goto(`${installation.url}${path}?tab=players`)
  await expect(page.getByRole('button', { name: 'Sessions of Steve' })).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'More actions for Steve' }).click()
  await page.getByRole('menuitem', { name: 'Ban' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Ban: Steve' })
  await expect(dialog.getByText('cannot join again until the ban is lifted')).toBeVisible()
  await dialog.getByRole('button', { name: 'Ban' }).click()
  await expect(page.getByText('Sent to the game')).toBeVisible()

  await page.goto(`${installation.url}/activity`)
  await expect(page.getByText('Banned a player', { exact: true }).filter({ visible: true })).toBeVisible()
})

test('a server falls asleep, says what that saves, and wakes by its button and for a player only', async ({
  installation,
  adminPage: page,
}) => {
  test.setTimeout(420_000)
  const admin = await Api.signIn(installation.url, firstAdmin)
  const { path, port } = await startArena(admin, [])
  const node = `/proxy/daemon${path}`
  // The shortest time is a minute, and games that nobody looks at are asked every half minute.
  const untilAsleep = async () => {
    await page.goto(installation.url)
    const isAsleep = async () => ((await admin.get(`${node}/status`)) as { sleeping?: object }).sleeping !== undefined
    await expect.poll(isAsleep, { timeout: 150_000 }).toBe(true)
    await page.goto(installation.url + path)
    await expect(page.getByText('Nobody plays, so the server has been sleeping')).toBeVisible()
  }
  const alert = page.getByRole('status').filter({ hasText: 'Nobody plays' })

  await test.step('switch it on', async () => {
    await page.goto(`${installation.url}${path}?tab=admin`)
    const select = page.getByLabel('Sleep when nobody plays')
    await expect(select).toHaveValue('0')
    await select.selectOption('5')
    const getRun = async () => (await admin.get(node)) as { run: object }
    await expect.poll(getRun).toMatchObject({ run: { sleepAfterMinutes: 5 } })
    await admin.post(node, define(port, [], { sleepAfterMinutes: 1 }))
  })

  await test.step('it sleeps, and its button wakes it', async () => {
    await untilAsleep()
    await expect(alert).toContainText(/That saves about .+ of a CPU core/)
    expect(await accessibilityViolations(page)).toEqual([])
    await alert.getByRole('button', { name: 'Wake it now' }).click()
    await expect(alert).toBeHidden()
    await expect(page.getByText('Online', { exact: true }).filter({ visible: true }).first()).toBeVisible()
  })

  await test.step('on a phone: other packets do not wake it, the first one of a player does', async () => {
    await page.setViewportSize({ width: 390, height: 850 })
    await untilAsleep()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await send(port, ['', 'scan', '\xff\xff\xff\xffgetinfo xxx'])
    await expect(alert).toBeVisible()

    await send(port, ['\xff\xff\xff\xffgetchallenge'])
    await expect(alert).toBeHidden()
    await expect(page.getByText('Server wakes: a player at 127.0.0.1 joins')).toBeVisible()
  })
})

/** Sends packets to a game until it answers the last. */
async function send(port: number, packets: readonly string[]): Promise<void> {
  const socket = createSocket('udp4')
  const { promise: answered, resolve } = Promise.withResolvers<unknown>()
  socket.once('message', resolve)
  const sendAll = () => {
    for (const packet of packets) socket.send(Buffer.from(packet, 'latin1'), port, '127.0.0.1')
  }
  const timer = setInterval(sendAll, 200)
  await answered
  clearInterval(timer)
  socket.close()
}
