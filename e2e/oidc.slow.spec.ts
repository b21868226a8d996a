import { freePort } from '@innkeeper/cli/testing/free-port'
import { TestOidcProvider } from '@innkeeper/panel/testing/test-oidc-provider'
import { expect, test } from '@playwright/test'
import { Api, firstAdmin } from './testing/api.ts'
import { TestInstallation } from './testing/test-installation.ts'

const name = 'A very long provider name of the company'

test('a user links an identity at a provider, and signs in with it until it is unlinked', async ({ browser }) => {
  const providerPort = await freePort()
  const installation = await TestInstallation.start({ INNKEEPER_OIDC_ALLOW: `127.0.0.1:${providerPort}` })
  const provider = await TestOidcProvider.start(`${installation.url}/auth/oidc`, providerPort)
  try {
    const api = await Api.setUp(installation.url, installation.setupCode)
    await api.put('/api/settings/panel.settings.masterUrl', { value: installation.url })
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${installation.url}/settings`)
    await page.getByLabel('Email').fill(firstAdmin.email)
    await page.getByLabel('Password', { exact: true }).fill(firstAdmin.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()

    await page.getByRole('button', { name: 'Add provider' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByLabel('Issuer URL').fill(provider.issuer)
    await dialog.getByLabel('Client ID').fill(provider.clientId)
    await dialog.getByLabel('Client secret').fill(provider.clientSecret)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(`${installation.url}/auth/oidc`)).toBeVisible()

    await page.goto(`${installation.url}/account`)
    const identities = page.getByRole('region', { name: 'Linked identities' })
    await identities.getByRole('button', { name: `Link ${name}` }).click()
    await expect(identities.getByRole('button', { name: `Unlink ${name}` })).toBeVisible()

    const other = await (await browser.newContext()).newPage()
    await other.goto(`${installation.url}/user`)
    const signIn = other.getByRole('button', { name: `Sign in with ${name}` })
    await expect(signIn).toBeVisible()
    await signIn.click()
    await expect(other.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible()

    await identities.getByRole('button', { name: `Unlink ${name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
    await expect(identities.getByText('None. Link an identity to sign in with it.')).toBeVisible()
    const third = await (await browser.newContext()).newPage()
    await third.goto(`${installation.url}/auth/login`)
    await third.getByRole('button', { name: `Sign in with ${name}` }).click()
    await expect(third.getByText(/No account is linked/)).toBeVisible()
    await third.getByRole('link', { name: /sign/i }).click()
    await expect(third.getByLabel('Password', { exact: true })).toBeVisible()
  } finally {
    await provider.stop()
    await installation.remove()
  }
})
