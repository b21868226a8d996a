import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { code, typeAtEnd } from './testing/editor-page.ts'
import { createServer, expect, firstAdmin, test } from './testing/fixtures.ts'
import { controlsOutside, sidewaysScroll } from './testing/layout.ts'

test('the editor can be left with the keyboard, and always asks about unsaved changes', async ({
  adminPage: page,
  installation,
}) => {
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  const file = join(installation.dataDir, 'servers', id, 'server.properties')
  await writeFile(file, 'motd=hi\npvp=true\n')
  await page.goto(`${installation.url}/server/${id}?tab=files`)
  await page.getByRole('button', { name: 'server.properties', exact: true }).click()
  await code(page).waitFor()

  // Tab indents; after Esc it moves the focus within the overlay.
  await typeAtEnd(page, 1, '!')
  await page.keyboard.press('Tab')
  await expect(code(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(code(page)).not.toBeFocused()
  await expect(page.getByRole('dialog', { name: /^Editor/ }).locator(':focus')).toHaveCount(1)

  await page.goBack()
  const question = page.getByRole('dialog', { name: 'Save changes to server.properties?' })
  await expect(question).toContainText('You changed 1 line. Closing now discards it.')
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await expect(code(page)).toContainText('hi!')

  // Revert is one edit, which can be undone.
  await page.getByRole('button', { name: 'Revert' }).click()
  await expect(page.getByRole('dialog', { name: /^Editor/ }).getByText('Modified')).toBeHidden()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(code(page)).toContainText('hi!')

  await page
    .getByRole('dialog', { name: /^Editor/ })
    .getByRole('button', { name: 'Close' })
    .click()
  await expect(question.getByRole('button', { name: 'Save', exact: true })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /^Editor/ })).toBeHidden()
  expect(await readFile(file, 'utf8')).toContain('hi!')
})

test('earlier versions of a file are compared and restored, also on a phone', async ({
  adminPage: page,
  installation,
}) => {
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  const file = join(installation.dataDir, 'servers', id, 'server.properties')
  await writeFile(file, 'pvp=true\nmotd=one\n')
  await page.goto(`${installation.url}/server/${id}?tab=files&edit=server.properties`)
  const dialog = page.getByRole('dialog', { name: 'Versions of server.properties' })
  const versions = dialog.getByRole('navigation', { name: 'Versions' }).getByRole('button')
  const saved = async (text: string) => await expect.poll(() => readFile(file, 'utf8')).toBe(text)

  await typeAtEnd(page, 2, '-two')
  await page.keyboard.press('ControlOrMeta+s')
  await saved('pvp=true\nmotd=one-two\n')
  await typeAtEnd(page, 2, '-three')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await saved('pvp=true\nmotd=one-two-three\n')

  // By keyboard: the newest version is selected.
  await page.getByRole('button', { name: 'Versions' }).press('Enter')
  await expect(versions).toHaveCount(2)
  await expect(versions.first()).toContainText(firstAdmin.username)
  await expect(dialog.getByRole('textbox', { name: 'In the editor' })).toContainText('motd=one-two-three')
  await versions.nth(1).press('Enter')
  await expect(dialog.getByRole('textbox').first()).toContainText('motd=one')
  await expect(dialog.getByRole('textbox').first()).not.toContainText('two')
  await dialog.getByRole('button', { name: 'Restore' }).press('Enter')
  await saved('pvp=true\nmotd=one\n')
  await expect(dialog).toBeHidden()
  await expect(code(page)).toContainText('motd=one')

  // What it replaced is a version too.
  await page.setViewportSize({ width: 360, height: 740 })
  await page
    .getByRole('dialog', { name: /^Editor/ })
    .getByRole('button', { name: 'More actions' })
    .click()
  await page.getByRole('menuitem', { name: 'Versions' }).click()
  await expect(versions).toHaveCount(3)
  await dialog.getByText('Preview', { exact: true }).click()
  await expect(dialog.getByRole('textbox')).toContainText('motd=one-two-three')
  expect(await sidewaysScroll(page)).toBe(0)
  expect(await controlsOutside(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await saved('pvp=true\nmotd=one-two-three\n')
})
