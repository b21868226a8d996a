import { Api } from './testing/api.ts'
import { expect, test } from './testing/fixtures.ts'
import { getScreen, getSurface, openTerminal, sizeOn, startServer, waitForFit } from './testing/terminal-page.ts'

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

  await expect(first.getByText(/^Size set by another viewer/)).toBeVisible()
  await first.getByRole('button', { name: 'Fit to this window' }).click()
  await expect.poll(() => sizeOn(second)).toEqual(large)
  await first.close()
  await expect.poll(async () => (await sizeOn(second)).cols).toBeLessThan(large.cols)
  await small.close()
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
  await expect(getScreen(page)).toContainText('size 120 by 30, key none')
  await getSurface(page).click()
  await page.keyboard.press('x')

  await expect(page.getByText('View only. Typing needs the permission “Send commands”.')).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.locator('.xterm-helper-textarea')).not.toBeFocused()
  await expect(getScreen(page)).toContainText('key none')
  await context.close()
})
