import { writeFile } from 'node:fs/promises'
import { expect, test } from './testing/fixtures.ts'
import { chooseFile, token, writeTheme } from './testing/themes.ts'

test('signed-out visitors see the default theme of the panel', async ({ adminPage: page, installation }) => {
  await page.goto(`${installation.url}/settings`)
  await page.getByRole('combobox', { name: 'Default theme' }).click()
  await page.getByRole('option', { name: 'Ember' }).click()
  await page.getByRole('form', { name: 'Theme' }).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved').first()).toBeVisible()

  await page.getByRole('button', { name: 'Sign out' }).click()

  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
  await expect.poll(() => token(page, 'primary')).toBe('#b04c08')
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
