import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer, expect, test } from './testing/fixtures.ts'

test('files can be created, uploaded, archived, extracted, moved, found, downloaded and deleted', async ({
  adminPage: page,
  installation,
}) => {
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  const list = page.getByRole('grid', { name: 'Files' })
  const dialog = page.getByRole('dialog')
  const row = (name: string) => list.getByRole('row', { name: `Select ${name}` })
  const onDisk = (...path: string[]) => readFile(join(installation.dataDir, 'servers', id, ...path), 'utf8')
  await page.goto(`${installation.url}/server/${id}?tab=files`)
  await expect(page.getByText('This folder is empty.')).toBeVisible()

  // Create folders and files with shortcuts and buttons.
  await page.keyboard.press('n')
  await page.keyboard.press('d')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('plugins')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await row('plugins').getByRole('link', { name: 'plugins' }).click()
  await expect(page).toHaveURL(/path=plugins/)
  // The address changes before the folder is shown.
  await expect(page.getByText('This folder is empty.')).toBeVisible()
  await page.getByRole('region', { name: 'Files' }).getByRole('button', { name: 'Upload', exact: true }).waitFor()
  await page.getByLabel('Select files to upload').setInputFiles([
    { name: 'config.yml', mimeType: 'text/yaml', buffer: Buffer.from('claims: 3\n') },
    { name: 'groups.yml', mimeType: 'text/yaml', buffer: Buffer.from('admin: mara\n') },
  ])
  // Both are uploaded at the same time.
  for (const name of ['config.yml', 'groups.yml']) await expect(row(name)).toBeVisible()
  expect(await onDisk('plugins', 'config.yml')).toBe('claims: 3\n')

  // The viewer opens above the list; Back closes it.
  await row('config.yml').getByRole('button', { name: 'config.yml', exact: true }).click()
  await expect(dialog).toContainText('claims: 3')
  await page.goBack()
  await expect(dialog).toBeHidden()
  await expect(row('config.yml')).toBeVisible()

  // The archive is named after the folder, and is extracted into a new folder.
  await list.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('toolbar').getByRole('button', { name: 'Archive' }).click()
  await expect(row('plugins.zip')).toBeVisible()
  await page.getByRole('button', { name: 'Extract plugins.zip' }).click()
  await expect(dialog.getByRole('radio', { name: 'New folder plugins' })).toBeChecked()
  await dialog.getByRole('button', { name: 'Extract' }).click()
  await row('plugins').getByRole('link', { name: 'plugins' }).click()
  // Both folders have files of these names.
  await expect(row('plugins.zip')).toBeHidden()
  await expect(row('config.yml')).toBeVisible()
  expect(await onDisk('plugins', 'plugins', 'groups.yml')).toBe('admin: mara\n')

  // Rename, and move to a folder with a file of the same name.
  await row('groups.yml').getByRole('button', { name: 'groups.yml', exact: true }).focus()
  await page.keyboard.press('F2')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('people.yml')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await expect(row('people.yml')).toBeVisible()
  await page.getByRole('button', { name: 'More actions for config.yml' }).click()
  await page.getByRole('menuitem', { name: 'Move' }).click()
  await dialog.getByRole('button', { name: 'Up' }).click()
  await dialog.getByRole('button', { name: 'Move here' }).click()
  await dialog.getByRole('button', { name: 'Keep both' }).click()
  await expect(row('config.yml')).toBeHidden()
  await page.goBack()
  await expect(row('config (2).yml')).toBeVisible()

  // Search from the folder of the server.
  await page.getByRole('link', { name: 'Server folder' }).click()
  // Opening another folder clears the filter.
  await expect(page.getByText('1 folder · 0 files')).toBeVisible()
  await page.getByRole('searchbox', { name: 'Filter files' }).fill('people')
  await page.getByRole('searchbox', { name: 'Filter files' }).press('Enter')
  await expect(row('people.yml')).toContainText('plugins/plugins')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download people.yml' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('people.yml')
  expect(await readFile(await download.path(), 'utf8')).toBe('admin: mara\n')
  await page.getByRole('searchbox', { name: 'Filter files' }).press('Escape')

  // Delete a folder with its content.
  await row('plugins').getByRole('link', { name: 'plugins' }).focus()
  await page.keyboard.press('Delete')
  await dialog.getByRole('button', { name: 'Delete folder' }).click()
  await expect(page.getByText('This folder is empty.')).toBeVisible()

  // Take it back from the message, delete it again, and restore it from the trash by keyboard.
  await page.getByRole('button', { name: 'Undo' }).click()
  await row('plugins').getByRole('link', { name: 'plugins' }).focus()
  await page.keyboard.press('Delete')
  await dialog.getByRole('button', { name: 'Delete folder' }).click()
  await expect(page.getByText('This folder is empty.')).toBeVisible()
  await page.getByRole('button', { name: 'Trash' }).press('Enter')
  await dialog.getByRole('button', { name: 'Restore plugins', exact: true }).press('Enter')
  await page.keyboard.press('Escape')
  await row('plugins').getByRole('link', { name: 'plugins' }).click()
  await expect(row('config (2).yml')).toBeVisible()

  // Nothing of it is left after the trash was emptied.
  await page.getByRole('link', { name: 'Server folder' }).click()
  await expect(page.getByText('1 folder · 0 files')).toBeVisible()
  await row('plugins').getByRole('link', { name: 'plugins' }).focus()
  await page.keyboard.press('Delete')
  await dialog.getByRole('button', { name: 'Delete folder' }).click()
  await expect(page.getByText('This folder is empty.')).toBeVisible()
  await page.getByRole('button', { name: 'Trash' }).click()
  await dialog.getByRole('button', { name: 'Empty trash' }).click()
  await page.getByRole('dialog', { name: 'Empty trash' }).getByRole('button', { name: 'Empty trash' }).click()
  await expect(dialog.getByText('The trash is empty.')).toBeVisible()
})
