import type { Page } from '@playwright/test'
import { createServer, expect, firstAdmin, test } from './testing/fixtures.ts'

/** Starts to leave the page by the navigation, and cancels in the dialog. */
async function tryToLeave(page: Page): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Templates/ })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
}

test('no input is lost in a hidden tab, during a slow save, or when the session ends', async ({
  adminPage: page,
  installation,
}) => {
  const id = await createServer(page, { template: 'openttd', name: 'Lobby' })
  await page.goto(`${installation.url}/server/${id}`)
  const name = page.getByRole('textbox', { name: 'Server name' })
  const save = page.getByRole('button', { name: 'Save', exact: true })

  await test.step('leaving asks about unsaved changes in a hidden tab', async () => {
    await page.getByRole('tab', { name: 'Settings' }).click()
    await name.fill('By the sea')
    await page.getByRole('tab', { name: 'Console' }).click()

    await tryToLeave(page)

    await page.getByRole('tab', { name: 'Settings' }).click()
    await expect(name).toHaveValue('By the sea')
  })

  await test.step('input during a slow save is kept', async () => {
    const slow = Promise.withResolvers<void>()
    await page.route(`**/proxy/daemon/server/${id}/data`, async (route) => {
      if (route.request().method() === 'POST') await slow.promise
      await route.continue()
    })
    await save.click()
    await name.fill('By the cold sea')

    slow.resolve()

    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
    await expect(name).toHaveValue('By the cold sea')
    await expect(page.getByText(/1 unsaved change/)).toBeVisible()
  })

  await test.step('after the session ends, the login offers to restore the changes', async () => {
    await page.context().clearCookies()
    await save.click()
    await expect(page.getByText('Your session timed out, please log in again').first()).toBeVisible()
    await page.getByLabel('Email').fill(firstAdmin.email)
    await page.getByLabel('Password', { exact: true }).fill(firstAdmin.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()

    await expect(name).toHaveValue('By the sea')
    await page.getByRole('button', { name: 'Restore' }).click()

    await expect(name).toHaveValue('By the cold sea')
    await save.click()
    await expect(page.getByText(/1 unsaved change/)).toBeHidden()
    await page.reload()
    await expect(name).toHaveValue('By the cold sea')
  })

  await test.step('Discard resets the JSON editor', async () => {
    await page.goto(`${installation.url}/template/openttd`)
    await page.getByText('JSON', { exact: true }).click()
    const json = page.getByRole('textbox', { name: 'JSON' })
    await json.press('Control+Home')
    await page.keyboard.type(' "qa": 1')
    await expect(json).toContainText('"qa": 1')

    await page.getByRole('button', { name: 'Discard' }).click()

    await expect(json).not.toContainText('"qa": 1')
    await json.press('Control+End')
    await page.keyboard.type(' ')
    await expect(json).not.toContainText('"qa": 1')
  })
})
