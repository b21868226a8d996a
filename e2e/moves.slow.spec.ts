import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accessibilityViolations } from './testing/accessibility.ts'
import { Api } from './testing/api.ts'
import { createServer, expect, firstAdmin, test } from './testing/fixtures.ts'
import { SecondNode } from './testing/second-node.ts'

test('a server is moved to another node with the keyboard, and goes back', async ({
  adminPage: page,
  installation,
}) => {
  test.setTimeout(240_000)
  const api = await Api.signIn(installation.url, firstAdmin)
  await using node = await SecondNode.join(api, 'the-machine-in-the-attic-behind-old-boxes')
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'cat' } })
  const getFolder = (dataDir: string) => join(dataDir, 'servers', id)
  await writeFile(join(getFolder(installation.dataDir), 'level.dat'), 'level')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${installation.url}/server/${id}?tab=admin`)

  await page.getByRole('button', { name: 'Move', exact: true }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Move Lobby' })
  await dialog.getByRole('combobox', { name: 'Node' }).press('ArrowDown')
  await page.getByRole('option', { name: /attic/ }).waitFor()
  await dialog.getByRole('combobox', { name: 'Node' }).press('ArrowDown')
  await dialog.getByRole('combobox', { name: 'Node' }).press('Enter')
  await expect(dialog.getByText('The ports and the listen address stay the same.', { exact: false })).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Move', exact: true }).press('Enter')

  const back = page.getByRole('button', { name: /Go back to/ })
  await expect(back).toBeVisible({ timeout: 120_000 })
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await readFile(join(getFolder(node.dataDir), 'level.dat'), 'utf8')).toBe('level')
  await writeFile(join(getFolder(node.dataDir), 'level.dat'), 'higher level')
  await back.press('Enter')

  await expect(back).toBeHidden({ timeout: 120_000 })
  await expect.poll(() => existsSync(getFolder(node.dataDir)), { timeout: 120_000 }).toBe(false)
  expect(await readFile(join(getFolder(installation.dataDir), 'level.dat'), 'utf8')).toBe('higher level')
})
