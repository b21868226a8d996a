import type { Page } from '@playwright/test'
import { createServer, expect, test } from './testing/fixtures.ts'

test('a conflict between two users shows both versions', async ({ adminPage: page, browser, installation }) => {
  const id = await createServer(page, { template: 'openttd', name: 'Lobby' })
  await page.goto(`${installation.url}/server/${id}?tab=settings`)
  const other = await (await browser.newContext({ storageState: await page.context().storageState() })).newPage()
  await other.goto(page.url())
  const nameOn = (tab: Page) => tab.getByRole('textbox', { name: 'Server name' })
  await nameOn(page).fill('Mine')
  await nameOn(other).fill('Theirs')
  await other.getByRole('button', { name: 'Save' }).click()
  await expect(other.getByText('Saved', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Save' }).click()

  const conflict = page.getByRole('alert').filter({ hasText: 'Someone else saved different values.' })
  await expect(conflict.getByRole('row', { name: /Server name Mine Theirs/ })).toBeVisible()
  await conflict.getByRole('button', { name: 'Keep yours' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await other.reload()
  await expect(nameOn(other)).toHaveValue('Mine')
  await other.context().close()
})
