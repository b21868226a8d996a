import { readFile } from 'node:fs/promises'
import type { BrowserContext, Page } from '@playwright/test'
import { Api } from './testing/api.ts'
import type { Product } from './testing/product.ts'
import { expect, test } from './testing/story.ts'

const program = new URL('./testing/full-screen.pl', import.meta.url)

/** A server on a terminal whose program draws whole screens. */
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

async function openTerminal(context: BrowserContext, product: Product, id: string, viewer: Api): Promise<Page> {
  await viewer.signInTo(context)
  const page = await context.newPage()
  await page.goto(`${product.url}/server/${id}`)
  await page.getByRole('radiogroup', { name: 'Console view' }).getByText('Terminal').click()
  return page
}

const screenOf = (page: Page) => page.locator('.xterm-rows')

/** Below the pointer; the rows are not. */
const surfaceOf = (page: Page) => page.locator('.xterm-screen')

/** Waits until the terminal fits into the page. */
const waitForFit = (page: Page) => expect(screenOf(page)).toContainText(/size (?!120 by (30|29))\d+ by \d+/)

/** The size that the program of the server draws for. */
async function sizeOn(page: Page): Promise<{ cols: number; rows: number }> {
  await expect(screenOf(page)).toContainText(/size \d+ by \d+/)
  const [, cols, rows] = /size (\d+) by (\d+)/.exec((await screenOf(page).textContent()) ?? '') ?? []
  return { cols: Number(cols), rows: Number(rows) }
}

test('a program draws whole screens, hears each key, and the keyboard leads out of it', async ({
  context,
  product,
}) => {
  const admin = await Api.setUp(product.url, product.setupCode)
  const id = await startServer(admin)

  const page = await openTerminal(context, product, id, admin)
  const screen = screenOf(page)

  await test.step('the screen fills the panel: the size is not the default one, and nothing is cut off', async () => {
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

  await test.step('out with Ctrl+M, and back', async () => {
    await page.keyboard.press('Control+m')
    await expect(page.getByRole('radio', { name: 'Terminal' })).toBeFocused()
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByRole('log')).toBeVisible()
    await page.goBack()
    await expect(screen).toContainText('size')
  })

  await test.step('a smaller window is a smaller terminal', async () => {
    const before = await sizeOn(page)
    await page.setViewportSize({ width: 1000, height: 700 })
    await expect.poll(async () => (await sizeOn(page)).cols).toBeLessThan(before.cols)
  })

  await test.step('the terminal is left as soon as the program ends', async () => {
    await surfaceOf(page).click()
    await page.keyboard.press('q')
    await expect(page.getByText('Start the server to type in the terminal')).toBeVisible()
    await expect(screen).not.toContainText('size')
  })
})

test('the viewer who opened the terminal last sets its size, and the other one can take it back', async ({
  browser,
  context,
  product,
}) => {
  const admin = await Api.setUp(product.url, product.setupCode)
  const id = await startServer(admin)
  const first = await openTerminal(context, product, id, admin)
  await waitForFit(first)
  const large = await sizeOn(first)

  const small = await browser.newContext({ viewport: { width: 800, height: 600 } })
  const second = await openTerminal(small, product, id, admin)
  await expect.poll(async () => (await sizeOn(second)).cols).toBeLessThan(large.cols)
  await expect.poll(() => sizeOn(first)).toEqual(await sizeOn(second))

  await expect(first.getByText(/^Sized by another viewer/)).toBeVisible()
  await first.getByRole('button', { name: 'Fit to this window' }).click()
  await expect.poll(() => sizeOn(second)).toEqual(large)
  await first.close()
  await expect.poll(async () => (await sizeOn(second)).cols).toBeLessThan(large.cols)
  await small.close()
})

test('hostile output types nothing, makes no link, sets no title and does not hold up the page', async ({
  context,
  product,
}) => {
  const admin = await Api.setUp(product.url, product.setupCode)
  const id = await startServer(admin)
  const page = await openTerminal(context, product, id, admin)
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

test('a viewer who may not send commands sees the screen at the size of the server and types nothing', async ({
  browser,
  product,
}) => {
  const admin = await Api.setUp(product.url, product.setupCode)
  const id = await startServer(admin)
  const guest = { username: 'guest', email: 'guest@example.net', password: 'seven lamps in a row' }
  const { id: user } = (await admin.post('/api/users', guest)) as { id: number }
  await admin.post(`/api/users/${user}/email/confirm`)
  await admin.put(`/api/servers/${id}/user/${guest.email}`, { viewServers: true, viewServerConsole: true })
  const context = await browser.newContext({ viewport: { width: 800, height: 600 } })

  const page = await openTerminal(context, product, id, await Api.signIn(product.url, guest))
  await expect(screenOf(page)).toContainText('size 120 by 30, key none')
  await surfaceOf(page).click()
  await page.keyboard.press('x')

  await expect(page.getByText('View only. Typing needs the permission “Send commands”.')).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.locator('.xterm-helper-textarea')).not.toBeFocused()
  await expect(screenOf(page)).toContainText('key none')
  await context.close()
})
