import { createServer, expect, test } from './testing/fixtures.ts'

/** A server that answers each line it reads. */
const answering = 'while read -r line; do echo "heard $line"; done'

test('the page reports a lost network connection and continues when it is back', async ({
  adminPage: page,
  installation,
  context,
  allowPageErrors,
}) => {
  allowPageErrors(/ERR_INTERNET_DISCONNECTED|WebSocket connection/)
  const id = await createServer(page, { template: 'generic-command', name: 'Echo', variables: { command: answering } })
  await page.goto(`${installation.url}/server/${id}`)
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByText('Online').first()).toBeVisible()

  await context.setOffline(true)
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
  await expect(page.getByText('Live', { exact: true })).toBeHidden({ timeout: 40_000 })
  await context.setOffline(false)

  await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 40_000 })
  await page.getByRole('textbox', { name: 'Command' }).fill('are you there')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('log')).toContainText('heard are you there')
})
