import { expect, firstAdmin, setUp, test } from './testing/fixtures.ts'

test('the sign-in page leads to the other pages before sign-in and back, and then to the requested page without a blank one', async ({
  page,
  installation,
}) => {
  await setUp(page, installation)
  await page.context().clearCookies()

  await page.goto(`${installation.url}/auth/forgot`)
  await page.getByRole('link', { name: 'Back to sign-in' }).click()
  await expect(page.getByLabel('Email')).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('link', { name: 'Back to sign-in' })).toBeVisible()
  await expect(page).toHaveURL(/\/auth\/forgot$/)

  await page.goto(`${installation.url}/account?from=link#security`)
  await expect(page).toHaveURL(/\/auth\/login\?return=%2Faccount%3Ffrom%3Dlink#security$/)
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector('main')) document.documentElement.dataset.wasBlank = 'true'
    })
    observer.observe(document.body, { childList: true, subtree: true })
  })
  await page.getByLabel('Email').fill(firstAdmin.email)
  await page.getByLabel('Password', { exact: true }).fill(firstAdmin.password)
  await page.keyboard.press('Enter')
  const heading = page.getByRole('heading', { name: 'Account', level: 1 })
  await expect(heading).toBeFocused()
  await expect(page).toHaveURL(/\/account\?from=link#security$/)
  await expect(page.locator('html[data-was-blank]')).toHaveCount(0)

  await page.goto(`${installation.url}/nowhere`)
  await page.getByRole('link', { name: 'Go to servers' }).click()
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
})
