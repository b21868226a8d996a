import type { Page } from '@playwright/test'
import { expect, test } from './testing/fixtures.ts'

/** The approximate accessible name of the focused element: label, text or value. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null
    const label = element?.labels?.[0]?.textContent
    const labelledBy = element?.getAttribute('aria-labelledby')?.split(' ')
    const texts = labelledBy?.map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
    return (element?.ariaLabel ?? texts ?? label ?? element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
  })
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: RegExp, presses = 80): Promise<void> {
  const passed: string[] = []
  for (let press = 0; press < presses; press++) {
    await page.keyboard.press('Tab')
    const current = await focusedName(page)
    if (name.test(current)) return
    passed.push(current)
  }
  throw new Error(`Tab does not lead to ${name}, but to: ${passed.join(' | ')}`)
}

test('a server can be created, started, used, stopped and deleted with the keyboard alone', async ({
  adminPage: page,
}) => {
  const output = page.getByRole('log')

  await test.step('create it in the wizard', async () => {
    await tabTo(page, /^Add server/)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('radiogroup', { name: 'Template' })).toBeVisible()
    await expect(page.getByRole('searchbox')).toBeFocused()
    await page.keyboard.type('Any command')
    await tabTo(page, /Any command/)
    await page.keyboard.press('Space')
    await tabTo(page, /^Continue/)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Where should it run?' })).toBeVisible()
    await tabTo(page, /^Continue/)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeVisible()
    await tabTo(page, /^Name/)
    await page.keyboard.type('Keyboard')
    await tabTo(page, /^Command/)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('while read -r line; do echo "heard $line"; done')
    await tabTo(page, /^Continue/)
    await page.keyboard.press('Enter')
    await tabTo(page, /^Create server/)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Keyboard' })).toBeVisible()
  })

  await test.step('it is installed and started at once: send a command', async () => {
    await expect(page.getByRole('main').getByText('Online', { exact: true }).first()).toBeVisible()
    await page.keyboard.type('ci')
    await page.keyboard.type('hello')
    await page.keyboard.press('Enter')
    await expect(output).toContainText('heard hello')
    await page.keyboard.press('Tab')
  })

  await test.step('go through its tabs', async () => {
    for (const [keys, name] of [
      ['ti', 'Stats'],
      ['tf', 'Files'],
      ['tt', 'Tasks'],
      ['ts', 'Settings'],
      ['tu', 'Users'],
      ['ta', 'Admin'],
    ] as const) {
      await page.keyboard.type(keys)
      await expect(page.getByRole('tab', { name, selected: true })).toBeVisible()
    }
  })

  await test.step('stop it from the command palette', async () => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('stop')
    // Enter is dropped until the dialog has the focus.
    await expect(page.getByRole('combobox')).toHaveValue('stop')
    await expect(page.getByRole('dialog').getByRole('option', { name: /Stop/ }).first()).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('main').getByText('Offline', { exact: true }).first()).toBeVisible()
  })

  await test.step('delete it', async () => {
    await tabTo(page, /^Delete/, 120)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused()
    await page.keyboard.type('Keyboard')
    await tabTo(page, /^Delete server/)
    await page.keyboard.press('Enter')
    await expect(page.getByText('No servers yet')).toBeVisible()
  })
})
