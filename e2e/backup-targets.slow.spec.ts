import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { freePort } from '@innkeeper/cli/testing/free-port'
import type { Page } from '@playwright/test'
import { accessibilityViolations } from './testing/accessibility.ts'
import { Api, firstAdmin } from './testing/api.ts'
import { test as base, createServer, expect } from './testing/fixtures.ts'
import { controlsOutside, sidewaysScroll } from './testing/layout.ts'

/** Access key and secret key of the S3 service. */
const key = 'S3RVER'

const test = base.extend<{ s3: { readonly url: string; readonly directory: string } }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that are used
  s3: async ({}, use) => {
    const [directory, port] = [await mkdtemp(join(tmpdir(), 'innkeeper-e2e-s3-')), await freePort()]
    const server = new S3rver({
      ...{ address: '127.0.0.1', port, silent: true, directory },
      configureBuckets: [{ name: 'backups' }],
      allowMismatchedSignatures: true,
    })
    await server.run()
    await use({ url: `http://127.0.0.1:${port}`, directory })
    await server.close()
    await rm(directory, { recursive: true, force: true })
  },
})

test('a backup target is added, tested, edited without its secrets, used by a server, and removed', async ({
  adminPage: page,
  installation,
  s3,
}) => {
  test.setTimeout(180_000)
  const card = page.getByRole('list', { name: 'Backup targets' })
  const dialog = page.getByRole('dialog', { name: /target$|^Edit/ })
  await page.goto(`${installation.url}/node/0`)
  await page.getByRole('button', { name: 'Add target' }).click()
  await dialog.getByRole('combobox', { name: 'Type' }).selectOption('s3')
  await fill(page, { Name: 'Offsite', URL: s3.url, Bucket: 'backups', Path: 'first' })

  // A wrong key is refused, and the right one is accepted.
  await dialog.getByLabel('Access key', { exact: true }).fill('another key')
  await dialog.getByLabel('Secret key', { exact: true }).fill(key)
  await dialog.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.getByText(/refused the sign-in/)).toBeVisible({ timeout: 60_000 })
  await dialog.getByLabel('Access key', { exact: true }).fill(key)
  await dialog.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.getByText('Connection successful.')).toBeVisible({ timeout: 60_000 })
  expect(await accessibilityViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText('Offsite')).toBeVisible()

  // The keys are not shown again, and a change without them keeps them.
  const api = await Api.signIn(installation.url, firstAdmin)
  const stored = JSON.stringify(await api.get('/api/nodes/0/backups/targets'))
  expect(stored).toContain(s3.url)
  expect(stored).not.toContain(key)
  await card.getByRole('button', { name: 'Edit Offsite' }).click()
  await expect(dialog.getByLabel('Access key', { exact: true })).toHaveValue('')
  await expect(dialog.getByLabel('Secret key', { exact: true })).toHaveValue('')
  await dialog.getByRole('textbox', { name: 'Path' }).fill('second')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(card.getByText('second')).toBeVisible()

  // A server stores its backups in the folder of the node, and there.
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  await page.goto(`${installation.url}/server/${id}?tab=backups`)
  await page.getByRole('button', { name: 'Targets' }).click()
  const choice = page.getByRole('dialog', { name: 'Backup targets' })
  await choice.getByRole('switch', { name: "Use the node's targets" }).click()
  await choice.getByRole('checkbox', { name: 'Offsite' }).check()
  await expect(choice.getByRole('checkbox', { name: 'Node folder' })).toBeChecked()
  await choice.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Create backup' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create backup' }).click()
  await expect(page.getByText('Stored on: Node folder and Offsite')).toBeVisible({ timeout: 90_000 })
  expect(await readdir(join(s3.directory, 'backups', 'second'))).toContain('snapshots')

  // It is removed; backups stay in the folder of the node.
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${installation.url}/node/0`)
  await expect(card.getByText('Offsite')).toBeVisible()
  expect([await controlsOutside(page), await sidewaysScroll(page)]).toEqual([[], 0])
  await card.getByRole('button', { name: 'Delete Offsite' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(card.getByText('Offsite')).toBeHidden()
  await page.goto(`${installation.url}/server/${id}?tab=backups`)
  await expect(page.getByRole('button', { name: /^More actions for/ })).toBeVisible()
  await expect(page.getByText(/Offsite/)).toBeHidden()
})

async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  const dialog = page.getByRole('dialog')
  for (const [name, value] of Object.entries(fields)) await dialog.getByRole('textbox', { name }).fill(value)
}
