import { readFile } from 'node:fs/promises'
import type { BrowserContext, Page } from '@playwright/test'
import { Api } from './testing/api.ts'
import { expect, test } from './testing/fixtures.ts'
import type { TestInstallation } from './testing/test-installation.ts'

const program = new URL('./testing/full-screen.pl', import.meta.url)

/** A server on a terminal with a full-screen program. */
async function startServer(admin: Api): Promise<string> {
  const { id } = (await admin.post('/api/servers', {
    name: 'Full screen',
    type: 'generic',
    environment: { type: 'tty' },
    install: [],
    run: { command: 'perl full-screen.pl', stopCode: 15 },
    data: {},
  })) as { id: string }
  await admin.put(`/proxy/daemon/server/${id}/file/full-screen.pl`, await readFile(program))
  await admin.post(`/proxy/daemon/server/${id}/start?wait=true`)
  return id
}

async function openTerminal(
  context: BrowserContext,
  installation: TestInstallation,
  id: string,
  viewer: Api,
): Promise<Page> {
  await viewer.signInTo(context)
  const page = await context.newPage()
  await page.goto(`${installation.url}/server/${id}`)
  await page.getByRole('radiogroup', { name: 'Console view' }).getByText('Terminal').click()
  return page
}

const screenOf = (page: Page) => page.locator('.xterm-rows')

/** The element that receives pointer events; the rows do not. */
const surfaceOf = (page: Page) => page.locator('.xterm-screen')

/** Waits until the size of the terminal fits the page. */
const waitForFit = (page: Page) => expect(screenOf(page)).toContainText(/size (?!120 by (30|29))\d+ by \d+/)

/** The terminal size that the program of the server reports. */
async function sizeOn(page: Page): Promise<{ cols: number; rows: number }> {
  await expect(screenOf(page)).toContainText(/size \d+ by \d+/)
  const [, cols, rows] = /size (\d+) by (\d+)/.exec((await screenOf(page).textContent()) ?? '') ?? []
  return { cols: Number(cols), rows: Number(rows) }
}

test('a full-screen program is displayed and receives keys, and the keyboard can leave the terminal', async ({
  context,
  installation,
}) => {
  const admin = await Api.setUp(installation.url, installation.setupCode)
  const id = await startServer(admin)

  const page = await openTerminal(context, installation, id, admin)
  const screen = screenOf(page)

  await test.step('the terminal fills its panel, with another size than the default', async () => {
    await waitForFit(page)
    const { cols, rows } = await sizeOn(page)
    await expect(page.getByText(`${cols} × ${rows}`)).toBeVisible()
    await expect(screen.locator('> div')).toHaveCount(rows)
    await expect(screen.locator('> div').last()).toHaveText(`+${'-'.repeat(cols - 2)}+`)
    await expect(screen).toHaveCSS('letter-spacing', 'normal')
  })

  await test.step('keys', async () => {
    await surfaceOf(page).click()
    await page.keyboard.press('ArrowUp')
    await expect(screen).toContainText('key 1b4f41')
    await page.keyboard.press('Control+k')
    await expect(screen).toContainText('key 0b')
    await page.keyboard.press('Escape')
    await expect(screen).toContainText('key 1b ')
    await page.keyboard.press('Tab')
    await expect(screen).toContainText('key 09')
  })

  await test.step('leave with Ctrl+M and return', async () => {
    await page.keyboard.press('Control+m')
    await expect(page.getByRole('radio', { name: 'Terminal' })).toBeFocused()
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByRole('log')).toBeVisible()
    await page.goBack()
    await expect(screen).toContainText('size')
  })

  await test.step('a smaller window resizes the terminal', async () => {
    const before = await sizeOn(page)
    await page.setViewportSize({ width: 1000, height: 700 })
    await expect.poll(async () => (await sizeOn(page)).cols).toBeLessThan(before.cols)
  })

  await test.step('the terminal closes when the program exits', async () => {
    await surfaceOf(page).click()
    await page.keyboard.press('q')
    await expect(page.getByText('Start the server to type in the terminal')).toBeVisible()
    await expect(screen).not.toContainText('size')
  })
})

test('the latest viewer sets the size of the terminal, and the other one can restore its own', async ({
  browser,
  context,
  installation,
}) => {
  const admin = await Api.setUp(installation.url, installation.setupCode)
  const id = await startServer(admin)
  const first = await openTerminal(context, installation, id, admin)
  await waitForFit(first)
  const large = await sizeOn(first)

  const small = await browser.newContext({ viewport: { width: 800, height: 600 } })
  const second = await openTerminal(small, installation, id, admin)
  await expect.poll(async () => (await sizeOn(second)).cols).toBeLessThan(large.cols)
  await expect.poll(() => sizeOn(first)).toEqual(await sizeOn(second))

  await expect(first.getByText(/^Sized by another viewer/)).toBeVisible()
  await first.getByRole('button', { name: 'Fit to this window' }).click()
  await expect.poll(() => sizeOn(second)).toEqual(large)
  await first.close()
  await expect.poll(async () => (await sizeOn(second)).cols).toBeLessThan(large.cols)
  await small.close()
})

test('malicious output cannot type, create links, set the title or block the page', async ({
  context,
  installation,
}) => {
  const admin = await Api.setUp(installation.url, installation.setupCode)
  const id = await startServer(admin)
  const page = await openTerminal(context, installation, id, admin)
  const screen = screenOf(page)
  await waitForFit(page)
  const inputs: string[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (String(payload).includes('"input"')) inputs.push(String(payload))
    }),
  )
  await page.reload()
  await waitForFit(page)

  await surfaceOf(page).click()
  await page.keyboard.press('h')
  await expect(screen).toContainText('click here')
  const link = await screen.getByText('click here').boundingBox()
  await page.mouse.click((link?.x ?? 0) + 40, (link?.y ?? 0) + 5)
  await page.getByRole('tab', { name: 'Console' }).focus()
  await surfaceOf(page).click()
  await page.keyboard.press('z')
  await expect(screen).toContainText('key 7a')

  expect(inputs.map((input) => (JSON.parse(input) as { data: string }).data)).toEqual(['h', 'z'])
  expect(await page.title()).not.toContain('stolen')
  expect(context.pages()).toHaveLength(1)
})

test('a viewer without the permission to send commands sees the terminal at its current size and cannot type', async ({
  browser,
  installation,
}) => {
  const admin = await Api.setUp(installation.url, installation.setupCode)
  const id = await startServer(admin)
  const guest = { username: 'guest', email: 'guest@example.net', password: 'seven lamps in a row' }
  const { id: user } = (await admin.post('/api/users', guest)) as { id: number }
  await admin.post(`/api/users/${user}/email/confirm`)
  await admin.put(`/api/servers/${id}/user/${guest.email}`, { viewServers: true, viewServerConsole: true })
  const context = await browser.newContext({ viewport: { width: 800, height: 600 } })

  const page = await openTerminal(context, installation, id, await Api.signIn(installation.url, guest))
  await expect(screenOf(page)).toContainText('size 120 by 30, key none')
  await surfaceOf(page).click()
  await page.keyboard.press('x')

  await expect(page.getByText('View only. Typing needs the permission “Send commands”.')).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.locator('.xterm-helper-textarea')).not.toBeFocused()
  await expect(screenOf(page)).toContainText('key none')
  await context.close()
})
