import type { Page } from '@playwright/test'
import { expect, test } from './testing/fixtures.ts'

/** Aborts requests for these files: the first ones, or all of them. Returns the number of requests so far. */
async function abortAssets(page: Page, files: RegExp, first = Number.POSITIVE_INFINITY): Promise<() => number> {
  let requests = 0
  await page.route(files, (route) => (++requests <= first ? route.abort() : route.continue()))
  return () => requests
}

test('a script or a style sheet that does not arrive once is loaded again', async ({
  adminPage: page,
  allowPageErrors,
}) => {
  allowPageErrors(/ERR_FAILED/)
  const scripts = await abortAssets(page, /\/assets\/servers-list-[^/]*\.js$/, 1)
  const styles = await abortAssets(page, /\/assets\/servers-list-[^/]*\.css$/, 1)

  await page.reload()

  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  expect(scripts()).toBeGreaterThan(1)
  expect(styles()).toBeGreaterThan(1)
  const areRulesThere = () =>
    document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"][href*="servers-list"]')[0]?.sheet?.cssRules
      .length
  expect(await page.evaluate(areRulesThere)).toBeGreaterThan(0)
})

test('a part that cannot be loaded says so in its place, and is shown after another try', async ({
  adminPage: page,
  installation,
  allowPageErrors,
}) => {
  allowPageErrors(/dynamically imported module|Unable to preload CSS|ERR_FAILED/)
  const files = /\/assets\/account-screen-[^/]*\.js$/
  await abortAssets(page, files)

  await page.goto(`${installation.url}/account`)

  await expect(page.getByText('This part could not be loaded')).toBeVisible()
  await expect(page.getByText('Check your connection and try again.')).toBeVisible()
  await expect(page.getByRole('navigation').getByRole('link', { name: /^Servers/ })).toBeVisible()
  await page.unroute(files)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible()
})
