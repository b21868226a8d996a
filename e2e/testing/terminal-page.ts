import { readFile } from 'node:fs/promises'
import type { BrowserContext, Page } from '@playwright/test'
import type { Api } from './api.ts'
import { expect } from './fixtures.ts'
import type { TestInstallation } from './test-installation.ts'

const program = new URL('./full-screen.pl', import.meta.url)

/** A server on a terminal with a full-screen program. */
export async function startServer(admin: Api): Promise<string> {
  const { id } = (await admin.post('/api/servers', {
    name: 'Full screen',
    type: 'generic',
    environment: { type: 'tty' },
    install: [],
    run: { command: 'perl full-screen.pl', stopCode: 15 },
    data: {},
  })) as { id: string }
  await admin.put(`/proxy/daemon/server/${id}/file/full-screen.pl`, await readFile(program))
  await admin.post(`/proxy/daemon/server/${id}/start?wait=true`)
  return id
}

/** Opens the terminal of the server in a new page of a viewer. */
export async function openTerminal(
  context: BrowserContext,
  installation: TestInstallation,
  id: string,
  viewer: Api,
): Promise<Page> {
  await viewer.signInTo(context)
  const page = await context.newPage()
  await page.goto(`${installation.url}/server/${id}`)
  await page.getByRole('radiogroup', { name: 'Console view' }).getByText('Terminal').click()
  return page
}

/** The rows of the terminal. */
export const getScreen = (page: Page) => page.locator('.xterm-rows')

/** The element that receives pointer events; the rows do not. */
export const getSurface = (page: Page) => page.locator('.xterm-screen')

/** Waits until the size of the terminal fits the page. */
export const waitForFit = (page: Page) => expect(getScreen(page)).toContainText(/size (?!120 by (30|29))\d+ by \d+/)

/** The terminal size that the program of the server reports. */
export async function sizeOn(page: Page): Promise<{ cols: number; rows: number }> {
  await expect(getScreen(page)).toContainText(/size \d+ by \d+/)
  const [, cols, rows] = /size (\d+) by (\d+)/.exec((await getScreen(page).textContent()) ?? '') ?? []
  return { cols: Number(cols), rows: Number(rows) }
}
