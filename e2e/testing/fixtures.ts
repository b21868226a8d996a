import { type LoginResult, sessionCookie } from '@innkeeper/contract/accounts/auth'
import { test as base, expect, type Page } from '@playwright/test'
import { firstAdmin } from './api.ts'
import { TestInstallation } from './test-installation.ts'

export { expect, firstAdmin }

interface Fixtures {
  readonly installation: TestInstallation
  /** Ignores errors of the page that the test causes. */
  readonly allowPageErrors: (pattern: RegExp) => void
  /** A page where the first administrator is signed in. */
  readonly adminPage: Page
}

const allowedErrors: RegExp[] = []

/** A test with its own installation, with an empty data folder. Fails if the page logs an error or sends a request to another host. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that are used
  installation: async ({}, use, info) => {
    const installation = await TestInstallation.start()
    await use(installation)
    if (info.status !== info.expectedStatus) console.log(installation.output)
    await installation.remove()
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that are used
  allowPageErrors: async ({}, use) => {
    await use((pattern) => void allowedErrors.push(pattern))
    allowedErrors.length = 0
  },

  page: async ({ page, installation, allowPageErrors: _ }, use) => {
    const foreignRequests: string[] = []
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (protocol.startsWith('http') && origin !== installation.url) foreignRequests.push(request.url())
    })
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.stack ?? error.message))
    page.on('console', (message) => {
      const text = message.text()
      // The page displays failed requests; the message that the browser logs for them is not an error.
      const isError = message.type() === 'error' && !text.startsWith('Failed to load resource')
      // React Router warns when two forms block navigation at the same time: it would ask only one of them.
      const isBlockerWarning = message.type() === 'warning' && /blocker/.test(text)
      if (isError || isBlockerWarning) errors.push(text)
    })
    await use(page)
    expect(foreignRequests, 'requests to other hosts').toEqual([])
    expect(
      errors.filter((error) => !allowedErrors.some((pattern) => pattern.test(error))),
      'errors of the page',
    ).toEqual([])
  },

  adminPage: async ({ page, installation }, use) => {
    // Other tests fill in the forms of the setup and the login. The response sets the cookie of the session.
    const created = await page.request.post(`${installation.url}/auth/setup`, {
      data: { code: installation.setupCode, ...firstAdmin },
    })
    expect(created.status(), await created.text()).toBe(200)
    const { scopes } = (await created.json()) as LoginResult
    // The web app keeps the scopes in the local storage of its origin.
    await page.goto(`${installation.url}/manifest.json`)
    await page.evaluate((stored) => localStorage.setItem('innkeeper.scopes', stored), JSON.stringify(scopes))
    await page.goto(installation.url)
    await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
    await use(page)
  },
})

/** Creates the first administrator with the setup form and the code from the terminal. */
export async function setUp(page: Page, installation: TestInstallation): Promise<void> {
  await page.goto(installation.url)
  await page.getByLabel('Setup code').fill(installation.setupCode)
  await page.getByLabel('Username').fill(firstAdmin.username)
  await page.getByLabel('Email').fill(firstAdmin.email)
  await page.getByLabel('Password', { exact: true }).fill(firstAdmin.password)
  await page.getByLabel('Repeat password', { exact: true }).fill(firstAdmin.password)
  await page.getByRole('button', { name: 'Create administrator' }).click()
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
}

/** Creates a server with the wizard, and stays on its page. Only for tests of the wizard: `createServer` is faster. */
export async function addServer(
  page: Page,
  { template, name, settings = {} }: { template: string; name: string; settings?: Readonly<Record<string, string>> },
): Promise<string> {
  await page.goto(new URL('/addserver', page.url()).href)
  await page.getByRole('radiogroup', { name: 'Template' }).getByRole('radio', { name: template }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Where should it run?' })).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  for (const [label, value] of Object.entries(settings)) await page.getByRole('textbox', { name: label }).fill(value)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Create server' }).click()
  await expect(page.getByRole('heading', { name })).toBeVisible()
  const id = /\/server\/([0-9a-f]{8})/.exec(page.url())?.[1]
  if (!id) throw new Error(`not on the page of a server: ${page.url()}`)
  return id
}

/** Creates a server from a bundled template with the API, and returns its ID. */
export async function createServer(
  page: Page,
  { template, name, variables = {} }: { template: string; name: string; variables?: Readonly<Record<string, string>> },
): Promise<string> {
  const cookie = (await page.context().cookies()).find((one) => one.name === sessionCookie)
  const headers = { authorization: `Bearer ${decodeURIComponent(cookie?.value ?? '')}` }
  const at = (path: string) => new URL(path, page.url()).href
  const definition = (await (await page.request.get(at(`/api/templates/${template}`), { headers })).json()) as {
    data: Record<string, object>
  }
  for (const [variable, value] of Object.entries(variables)) Object.assign(definition.data[variable] ?? {}, { value })
  const data = { ...definition, name, template, users: [firstAdmin.username] }
  const created = await page.request.post(at('/api/servers'), { headers, data })
  expect(created.status(), await created.text()).toBe(200)
  const { id } = (await created.json()) as { id: string }
  return id
}
