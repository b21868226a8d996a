import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accessibilityViolations } from './testing/accessibility.ts'
import { createServer, expect, test } from './testing/fixtures.ts'

test('a server is cloned from a backup, and the clone does not have later changes', async ({
  adminPage: page,
  installation,
}) => {
  test.setTimeout(180_000)
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  const getFolder = (server: string) => join(installation.dataDir, 'servers', server)
  await writeFile(join(getFolder(id), 'level.dat'), 'old level')
  await page.goto(`${installation.url}/server/${id}?tab=backups`)
  await page.getByRole('button', { name: 'Create backup' }).click()
  await page.getByRole('textbox', { name: 'Note' }).fill('before the update')
  await page.getByRole('dialog').getByRole('button', { name: 'Create backup' }).click()
  const list = page.getByRole('table', { name: 'Backups' })
  await expect(list.getByText('before the update')).toBeVisible({ timeout: 60_000 })
  await writeFile(join(getFolder(id), 'level.dat'), 'new level')

  await list.getByRole('button', { name: 'More actions for before the update' }).click()
  await page.getByRole('menuitem', { name: 'Clone', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Clone Lobby' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Lobby of the past')
  expect(await accessibilityViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Clone', exact: true }).click()

  await expect(page.getByRole('heading', { name: 'Lobby of the past' })).toBeVisible({ timeout: 60_000 })
  const clone = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  expect(await readFile(join(getFolder(clone), 'level.dat'), 'utf8')).toBe('old level')
  expect(await readFile(join(getFolder(id), 'level.dat'), 'utf8')).toBe('new level')
})
