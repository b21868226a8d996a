import type { Page } from '@playwright/test'
import { Api } from './testing/api.ts'
import { expect, firstAdmin, test } from './testing/fixtures.ts'

test('a passkey signs in without a user name and after the password, until it is removed', async ({
  browser,
  installation,
}) => {
  const api = await Api.setUp(installation.url, installation.setupCode)
  const site = installation.url
  await api.put('/api/settings/panel.settings.masterUrl', { value: site })
  const context = await browser.newContext()
  const page = await context.newPage()
  await addAuthenticator(page)

  await page.goto(`${site.replace('localhost', '127.0.0.1')}/auth/login`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByText('Passkeys only work at the master URL of the panel.')).toBeVisible()
  await page.getByRole('link', { name: site }).click()

  await page.goto(`${site}/account`)
  await enterPassword(page)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Laptop')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10)
  await page.getByRole('button', { name: 'I have saved them' }).click()
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await expect(passkeys.getByText('Laptop')).toBeVisible()
  await signOut(page)

  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  await signOut(page)

  await enterPassword(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()

  await page.goto(`${site}/account`)
  await passkeys.getByRole('button', { name: 'Rename Laptop' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Desk')
  await page.getByRole('button', { name: 'Save' }).click()
  await passkeys.getByRole('button', { name: 'Remove Desk' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(passkeys.getByText('No passkeys yet.')).toBeVisible()
  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByText('This passkey does not belong to an account here.')).toBeVisible()
  await enterPassword(page)
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  await context.close()
})

test('an administrator without a second factor is led through its set-up', async ({ browser, installation }) => {
  const api = await Api.setUp(installation.url, installation.setupCode)
  const site = installation.url
  await api.put('/api/settings/panel.settings.masterUrl', { value: site })
  const context = await browser.newContext()
  const page = await context.newPage()
  await addAuthenticator(page)
  await page.goto(`${site}/settings`)
  await enterPassword(page)

  const card = page.getByRole('form', { name: 'Sign-in' })
  await card.getByRole('combobox', { name: 'Who must have a second factor' }).click()
  await page.getByRole('option', { name: 'Administrators' }).click()
  await card.getByRole('button', { name: 'Save' }).click()

  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continue' })).toBeDisabled()
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await expect(page.getByText('Your account has a second factor now.')).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(card).toBeVisible()
  await context.close()
})

/** An authenticator of Chromium that answers at once. */
async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(firstAdmin.email)
  await page.getByLabel('Password', { exact: true }).fill(firstAdmin.password)
  await page.keyboard.press('Enter')
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await expect(page.getByLabel('Email')).toBeVisible()
}
