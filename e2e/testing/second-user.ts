import type { Browser, Page } from '@playwright/test'

/** A user beside the first administrator. */
export const wren = { username: 'wren', email: 'wren@example.net', password: 'a quiet evening' }

/** Opens the browser of another user. */
export async function newBrowserPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } })
  return context.newPage()
}

/** Fills in the password fields of a new account. */
export async function fillInPassword(page: Page): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(wren.password)
  await page.getByLabel('Repeat password', { exact: true }).fill(wren.password)
}
