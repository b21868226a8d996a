import { Api } from './testing/api.ts'
import { expect, test } from './testing/fixtures.ts'
import { getScreen, getSurface, openTerminal, sizeOn, startServer, waitForFit } from './testing/terminal-page.ts'

test('a full-screen program is displayed and receives keys, and the keyboard can leave the terminal', async ({
  context,
  installation,
}) => {
  const admin = await Api.setUp(installation.url, installation.setupCode)
  const id = await startServer(admin)

  const page = await openTerminal(context, installation, id, admin)
  const screen = getScreen(page)

  await test.step('the terminal fills its panel, with another size than the default', async () => {
    await waitForFit(page)
    const { cols, rows } = await sizeOn(page)
    await expect(page.getByText(`${cols} × ${rows}`)).toBeVisible()
    await expect(screen.locator('> div')).toHaveCount(rows)
    await expect(screen.locator('> div').last()).toHaveText(`+${'-'.repeat(cols - 2)}+`)
    await expect(screen).toHaveCSS('letter-spacing', 'normal')
  })

  await test.step('keys', async () => {
    await getSurface(page).click()
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
    await getSurface(page).click()
    await page.keyboard.press('q')
    await expect(page.getByText('Start the server to type in the terminal')).toBeVisible()
    await expect(screen).not.toContainText('size')
  })
})

test('malicious output cannot type, create links, set the title or block the page', async ({
  context,
  installation,
}) => {
  const admin = await Api.setUp(installation.url, installation.setupCode)
  const id = await startServer(admin)
  const page = await openTerminal(context, installation, id, admin)
  const screen = getScreen(page)
  await waitForFit(page)
  const inputs: string[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (String(payload).includes('"input"')) inputs.push(String(payload))
    }),
  )
  await page.reload()
  await waitForFit(page)

  await getSurface(page).click()
  await page.keyboard.press('h')
  await expect(screen).toContainText('click here')
  const link = await screen.getByText('click here').boundingBox()
  await page.mouse.click((link?.x ?? 0) + 40, (link?.y ?? 0) + 5)
  await page.getByRole('tab', { name: 'Console' }).focus()
  await getSurface(page).click()
  await page.keyboard.press('z')
  await expect(screen).toContainText('key 7a')

  expect(inputs.map((input) => (JSON.parse(input) as { data: string }).data)).toEqual(['h', 'z'])
  expect(await page.title()).not.toContain('stolen')
  expect(context.pages()).toHaveLength(1)
})
