import { readdirSync } from 'node:fs'
import { expect, test } from './testing/fixtures.ts'

const assets = new URL('../packages/web/dist/assets/', import.meta.url)
/** Translations are data, and workers have no document. */
const isOther = /^[a-z]{2,3}_[A-Z0-9]{2,3}-|[wW]orker/

test('each script of the app runs when it is the first that a page without a sign-in loads', async ({
  page,
  installation,
}) => {
  // Each script loads the page anew.
  test.setTimeout(480_000)
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js') && !isOther.test(name))
  const failed: string[] = []

  for (const name of scripts) {
    await page.goto(`${installation.url}/auth/login`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const problem = await page.evaluate(
      (path) =>
        import(path).then(
          () => undefined,
          (error: unknown) => String(error),
        ),
      `/assets/${name}`,
    )
    if (problem !== undefined) failed.push(`${name}: ${problem}`)
  }

  expect(failed).toEqual([])
})
