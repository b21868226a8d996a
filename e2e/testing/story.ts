import { test as base, expect, type Page } from '@playwright/test'
import { mara } from './api.ts'
import { Product } from './product.ts'

export { expect, mara }

interface Fixtures {
  readonly product: Product
  /** Lets errors of the page pass that a test brings about itself. */
  readonly faultsAllowed: (pattern: RegExp) => void
  /** A page on which the first administrator was created and is logged in. */
  readonly house: Page
}

const allowed: RegExp[] = []

/** A test with a product of its own, on an empty data folder. A page that logs an error or asks another host fails. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that are used
  product: async ({}, use, info) => {
    const product = await Product.start()
    await use(product)
    if (info.status !== info.expectedStatus) console.log(product.output)
    await product.discard()
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that are used
  faultsAllowed: async ({}, use) => {
    await use((pattern) => void allowed.push(pattern))
    allowed.length = 0
  },

  page: async ({ page, product, faultsAllowed: _ }, use) => {
    const strangers: string[] = []
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (protocol.startsWith('http') && origin !== product.url) strangers.push(request.url())
    })
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
    page.on('console', (message) => {
      const text = message.text()
      // A refused call is told by the page; the browser's own line about it is no fault.
      const isError = message.type() === 'error' && !text.startsWith('Failed to load resource')
      // React Router warns when two forms block navigation at the same time: only one of them would be asked.
      const isBlockerWarning = message.type() === 'warning' && /blocker/.test(text)
      if (isError || isBlockerWarning) faults.push(text)
    })
    await use(page)
    expect(strangers, 'asked of other hosts').toEqual([])
    expect(
      faults.filter((fault) => !allowed.some((pattern) => pattern.test(fault))),
      'errors of the page',
    ).toEqual([])
  },

  house: async ({ page, product }, use) => {
    // The form itself is filled in by the tests of the main job and of wrong input.
    const created = await page.request.post(`${product.url}/auth/setup`, { data: { code: product.setupCode, ...mara } })
    expect(created.status(), await created.text()).toBe(200)
    await page.goto(product.url)
    await page.getByLabel('Email').fill(mara.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(mara.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
    await use(page)
  },
})

/** Creates the first administrator as a person does, with the code that the terminal shows. */
export async function setUp(page: Page, product: Product): Promise<void> {
  await page.goto(product.url)
  await page.getByLabel('Setup code').fill(product.setupCode)
  await page.getByLabel('Username').fill(mara.username)
  await page.getByLabel('Email').fill(mara.email)
  await page.getByLabel('Password', { exact: true }).fill(mara.password)
  await page.getByLabel('Repeat password').fill(mara.password)
  await page.getByRole('button', { name: 'Create administrator' }).click()
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
}

/** Makes a server from a bundled template through the wizard and ends on its page. */
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
  if (!id) throw new Error(`not on a server's page: ${page.url()}`)
  return id
}
