import { writeFile } from 'node:fs/promises'
import { writeTar } from '@innkeeper/contract/theme/tar'
import type { Page } from '@playwright/test'
import { expect, test } from './testing/fixtures.ts'

/** The computed value of a color token. */
const token = (page: Page, name: string) =>
  page.evaluate((property) => getComputedStyle(document.documentElement).getPropertyValue(property), `--ik-${name}`)

async function writeTheme(path: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const archive = writeTar(
    Object.entries(files).map(([name, content]) => ({
      name,
      bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
    })),
  )
  await writeFile(path, archive)
  return path
}

async function chooseFile(page: Page, path: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload theme' }).first().click()
  await (await choosing).setFiles(path)
}

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

test('signed-out visitors see the default theme of the panel', async ({ adminPage: page, installation }) => {
  await page.goto(`${installation.url}/settings`)
  await page.getByRole('combobox', { name: 'Default theme' }).click()
  await page.getByRole('option', { name: 'Ember' }).click()
  await page.getByRole('form', { name: 'Theme' }).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved').first()).toBeVisible()

  await page.getByRole('button', { name: 'Sign out' }).click()

  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await expect.poll(() => token(page, 'primary')).toBe('#b04c08')
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

  await page.getByRole('button', { name: 'Remove Deep forest' }).click()
  await page.getByRole('button', { name: 'Remove theme' }).click()
  await expect.poll(() => token(page, 'primary')).toBe('#3560cf')
})

test('an invalid theme and one with too little contrast are rejected with the reason', async ({
  adminPage: page,
  installation,
}, info) => {
  const broken = info.outputPath('broken.tar')
  await writeTheme(broken, { 'theme.json': '{}' })
  await writeFile(broken, 'not an archive')
  const pale = await writeTheme(info.outputPath('pale.tar'), {
    'theme.json': JSON.stringify({ colors: { light: { text: '#bbbbbb' } } }),
  })
  await page.goto(`${installation.url}/settings`)
  await expect(page.getByRole('listitem').filter({ hasText: 'Harbour' })).toBeVisible()

  await chooseFile(page, broken)
  await expect(page.getByRole('dialog')).toContainText('This is not a tar archive.')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await chooseFile(page, pale)

  await expect(page.getByRole('dialog')).toContainText('The contrast is too low to read: light: text on')
})

test('the CSS of a theme cannot send requests to other hosts or cover controls', async ({
  adminPage: page,
  installation,
}, info) => {
  const path = await writeTheme(info.outputPath('sly.tar'), {
    'theme.json': JSON.stringify({ colors: { light: { primary: '#1b6e3c' }, dark: { primary: '#1b6e3c' } } }),
    'theme.css': [
      '@import url(https://evil.example/a.css);',
      'body { background: url(https://evil.example/b.png) }',
      'button::before { content: ""; position: fixed; inset: 0; background: red }',
      'a { box-shadow: 0 0 0 9999px red; letter-spacing: 0.01em }',
      'main { box-shadow: 0 0 0 calc(40px * 100) red }',
      'main { border: solid var(--ik-nav) red }',
    ].join('\n'),
  })
  await page.goto(`${installation.url}/settings`)
  await expect(page.getByRole('listitem').filter({ hasText: 'Harbour' })).toBeVisible()
  await chooseFile(page, path)
  await page.getByRole('dialog').getByRole('button', { name: 'Upload theme' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'sly' })).toContainText('Left out of theme.css')
  await page.getByRole('button', { name: 'Appearance' }).click()
  await page.getByRole('menuitemradio', { name: 'sly' }).click()
  await expect.poll(() => token(page, 'primary')).toBe('#1b6e3c')
  await page.keyboard.press('Escape')

  // The page fixture fails on requests to other hosts.
  const style = await page.locator('#innkeeper-theme').textContent()
  expect(style).toContain('letter-spacing')
  expect(style).not.toMatch(/evil|fixed|9999|calc|--ik-nav|::before/)
  await page.getByRole('link', { name: 'Servers' }).first().click()
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
})
