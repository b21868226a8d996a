import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { code, typeAtEnd } from './testing/editor-page.ts'
import { createServer, expect, test } from './testing/fixtures.ts'

const written = '\ufeffclaims:\r\n  enabled: true\r\n  blocks: 100\r\n'

test('two users edit the same file without losing changes', async ({ adminPage: page, installation, browser }) => {
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  const file = join(installation.dataDir, 'servers', id, 'plugins', 'config.yml')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, written)
  const address = `${installation.url}/server/${id}?tab=files&path=plugins&edit=plugins%2Fconfig.yml`
  const other = await (await browser.newContext({ storageState: await page.context().storageState() })).newPage()
  for (const one of [page, other]) {
    await one.goto(address)
    await code(one).waitFor()
  }

  // Syntax highlighting works within the content security policy: a violation would be logged and fail the test.
  await expect(page.locator('.cm-line span').first()).toBeVisible()
  await expect(page.getByText('UTF-8 with BOM')).toBeVisible()
  await typeAtEnd(page, 3, '0')
  await expect(page.getByRole('dialog', { name: /^Editor/ }).getByText('Modified')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Saved').first()).toBeVisible()
  expect(await readFile(file, 'utf8')).toBe(written.replace('100', '1000'))

  // The second user sees both versions and decides.
  await typeAtEnd(other, 2, ' # on')
  await other.keyboard.press('ControlOrMeta+s')
  await expect(other.getByText('Another user changed this file')).toBeVisible()
  await other.getByRole('button', { name: 'Compare' }).click()
  const comparing = other.getByRole('dialog', { name: /Compare/ })
  await expect(comparing.getByRole('textbox', { name: 'On the server' })).toContainText('blocks: 1000')
  await expect(comparing.getByRole('textbox', { name: 'Yours' })).toContainText('true # on')
  await comparing.getByRole('button', { name: 'Load their version' }).click()
  await expect(code(other)).toContainText('blocks: 1000')
  await expect(other.getByRole('dialog', { name: /^Editor/ }).getByText('Modified')).toBeHidden()
  await other.context().close()
})
