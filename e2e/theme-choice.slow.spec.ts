import { expect, test } from './testing/fixtures.ts'
import { chooseFile, token, writeTheme } from './testing/themes.ts'

test('a theme selected in the top bar persists after a reload and colors filled buttons', async ({
  adminPage: page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Appearance' }).click()
  await page.getByRole('menuitemradio', { name: 'Harbour' }).click()

  await expect.poll(() => token(page, 'primary')).toBe('#10837a')
  await expect(page.getByRole('menuitemradio', { name: 'Harbour' })).toHaveAttribute('aria-checked', 'true')
  await page.getByRole('menuitemradio', { name: 'Light' }).click()
  await expect.poll(() => token(page, 'body')).toBe('#eef5f4')
  await page.reload()

  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  expect(await token(page, 'primary')).toBe('#0b7a72')
  await expect(page.getByRole('link', { name: 'Add server' }).first()).toHaveCSS(
    'background-color',
    'rgb(11, 122, 114)',
  )
})

test('a theme can be uploaded with a preview, selected, and removed', async ({
  adminPage: page,
  installation,
}, info) => {
  const logo = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30"><circle cx="15" cy="15" r="15"/></svg>'
  const path = await writeTheme(info.outputPath('forest.tar'), {
    'theme.json': JSON.stringify({ colors: { light: { primary: '#1b6e3c' }, dark: {} }, logo: 'logo.svg' }),
    'theme.css': 'h1 { letter-spacing: 0.02em }',
    'logo.svg': logo,
  })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${installation.url}/settings`)
  await expect(page.getByRole('listitem').filter({ hasText: 'Harbour' })).toBeVisible()
  await chooseFile(page, path)
  const dialog = page.getByRole('dialog')
  await expect.poll(() => token(page, 'primary')).toBe('#1b6e3c')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Deep forest')
  await dialog.getByRole('button', { name: 'Upload theme' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Deep forest' })).toBeVisible()
  // The preview has ended with the dialog.
  await expect.poll(() => token(page, 'primary')).toBe('#3560cf')

  await page.getByRole('button', { name: 'Appearance' }).click()
  await page.getByRole('menuitemradio', { name: 'Deep forest' }).click()
  await page.keyboard.press('Escape')
  await expect(page.locator('header img[src^="blob:"]')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveCSS('letter-spacing', '0.4px')

  await page.getByRole('button', { name: 'Delete Deep forest' }).click()
  await page.getByRole('button', { name: 'Delete theme' }).click()
  await expect.poll(() => token(page, 'primary')).toBe('#3560cf')
})
