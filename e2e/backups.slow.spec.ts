import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accessibilityViolations } from './testing/accessibility.ts'
import { createServer, expect, test } from './testing/fixtures.ts'
import { controlsOutside, sidewaysScroll } from './testing/layout.ts'

/** Writes the time of each start. */
const command = 'sh -c "date +%s%N > started; exec sleep 600"'

test('a backup brings back one file of a world, beside the current one and in its place, and then everything', async ({
  adminPage: page,
  installation,
}) => {
  test.setTimeout(180_000)
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command } })
  const world = join(installation.dataDir, 'servers', id, 'world')
  const readContent = (name: string) => readFile(join(world, name), 'utf8').catch(() => undefined)
  await mkdir(world, { recursive: true })
  await writeFile(join(world, 'level.dat'), 'old level')
  await writeFile(join(world, 'region.mca'), 'region')
  await page.goto(`${installation.url}/server/${id}?tab=backups`)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const startedAt = () => readFile(join(installation.dataDir, 'servers', id, 'started'), 'utf8').catch(() => '')
  await expect.poll(startedAt).toMatch(/\d/)
  const firstStart = await startedAt()
  await expect(page.getByText('No backups yet.')).toBeVisible()

  await page.getByRole('button', { name: 'Create backup' }).click()
  await page.getByRole('textbox', { name: 'Note' }).fill('before the update')
  await page.getByRole('dialog').getByRole('button', { name: 'Create backup' }).click()
  const list = page.getByRole('table', { name: 'Backups' })
  await expect(list.getByText('before the update')).toBeVisible({ timeout: 60_000 })
  const openMenu = async (item: string) => {
    await list.getByRole('button', { name: 'More actions for before the update' }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  await openMenu('Verify')
  await expect(list.getByText(/^Verified on /)).toBeVisible({ timeout: 60_000 })
  expect(await accessibilityViolations(page)).toEqual([])

  // The world changes, and one file is restored.
  await writeFile(join(world, 'level.dat'), 'new level')
  await rm(join(world, 'region.mca'))
  await openMenu('Restore files')
  const dialog = page.getByRole('dialog', { name: 'Restore files' })
  await dialog.getByRole('button', { name: 'world', exact: true }).click()
  await dialog.getByRole('checkbox', { name: 'Select region.mca' }).check()
  expect(await accessibilityViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await expect.poll(() => readContent('region.mca'), { timeout: 60_000 }).toBe('region')
  expect(await readContent('level.dat')).toBe('new level')

  // Another one is restored beside the current one.
  await openMenu('Restore files')
  await dialog.getByRole('button', { name: 'world', exact: true }).click()
  await dialog.getByRole('checkbox', { name: 'Select level.dat' }).check()
  await dialog.getByText('Keep both').click()
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await expect.poll(() => readContent('level (2).dat'), { timeout: 60_000 }).toBe('old level')
  expect(await readContent('level.dat')).toBe('new level')

  // The folder is deleted, and taken back with the message.
  await page.getByRole('tab', { name: 'Files' }).click()
  const deleteWorld = async () => {
    await page.getByRole('link', { name: 'world' }).focus()
    await page.keyboard.press('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete folder' }).click()
    await expect.poll(() => readContent('level.dat')).toBeUndefined()
  }
  await deleteWorld()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => readContent('level.dat')).toBe('new level')

  // It is deleted again, and everything is restored: the server is stopped, and started again.
  await deleteWorld()
  await page.getByRole('tab', { name: 'Backups' }).click()
  await list.getByRole('button', { name: 'Restore before the update' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore everything' }).click()
  await expect(list.getByText('Before a restore')).toBeVisible({ timeout: 60_000 })
  await expect.poll(() => readContent('level.dat'), { timeout: 60_000 }).toBe('old level')
  expect(await readContent('level (2).dat')).toBeUndefined()
  await expect.poll(startedAt).not.toBe(firstStart)
  await expect(page.getByText('Online', { exact: true }).first()).toBeVisible()

  // A locked backup stays; the other one is deleted.
  await openMenu('Lock')
  await expect(list.getByRole('button', { name: 'This backup is locked' })).toBeVisible()
  await list.getByRole('button', { name: 'More actions for before the update' }).click()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeDisabled()
  await page.keyboard.press('Escape')

  // Only the newest backup is kept, and the locked one.
  await page.getByRole('button', { name: 'Retention' }).click()
  const retention = page.getByRole('dialog', { name: 'Retention' })
  await retention.getByRole('textbox', { name: 'Newest' }).fill('1')
  await expect(retention.getByText('Deleted when you save: 0')).toBeVisible()
  await retention.getByRole('button', { name: 'Save' }).click()
  await expect(retention).toBeHidden()
  await expect(list.getByText('Before a restore')).toBeVisible()

  await page.setViewportSize({ width: 360, height: 740 })
  await expect(page.getByRole('table', { name: 'Backups' }).getByText('before the update').first()).toBeVisible()
  expect([await controlsOutside(page), await sidewaysScroll(page)]).toEqual([[], 0])
})
