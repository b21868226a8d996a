import type { Page } from '@playwright/test'
import { addServer, expect, test } from './testing/fixtures.ts'

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Replaces the text of the JSON editor with the keyboard. */
async function writeJson(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'JSON' })
  await editor.focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

test('a new template creates a working server, whose definition can be edited while it runs', async ({
  adminPage: page,
  installation,
}) => {
  test.setTimeout(180_000)
  await page.goto(`${installation.url}/template`)
  await page.getByRole('link', { name: 'New template' }).click()
  await page.getByRole('textbox', { name: 'Display name' }).fill('Echo house')
  await expect(page.getByRole('textbox', { name: 'ID' })).toHaveValue('echo-house')
  await page.getByRole('button', { name: 'Create template' }).click()
  await expect(page.getByRole('heading', { name: 'Echo house', level: 1 })).toBeVisible()

  // Add a variable, two reordered steps, a command, and the stop command.
  const variables = part(page, 'Variables')
  await variables.getByRole('button', { name: 'Add variable' }).click()
  await variables.getByRole('textbox', { name: 'Name', exact: true }).fill('greeting')
  await variables.getByRole('textbox', { name: 'Display name' }).fill('Greeting')
  await variables.getByRole('textbox', { name: 'Default' }).fill('good evening')
  const install = part(page, 'Install')
  await install.getByRole('button', { name: 'Add step' }).click()
  await install.getByRole('textbox', { name: 'Commands, line 1' }).fill('cp draft.txt motd.txt')
  await install.getByRole('button', { name: 'Add step' }).click()
  const second = install.getByRole('group', { name: 'Step 2, Run commands' })
  await second.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Write a file' }).click()
  const writing = install.getByRole('group', { name: 'Step 2, Write a file' })
  await writing.getByRole('textbox', { name: 'Target' }).fill('draft.txt')
  await writing.getByRole('textbox', { name: 'Text' }).fill('${greeting}, traveller')
  const grip = install.getByRole('button', { name: 'Move Step 2, Write a file', exact: true })
  await grip.focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(install.getByRole('button', { name: 'Move Step 1, Write a file', exact: true })).toBeFocused()
  await part(page, 'Run').getByRole('textbox', { name: 'Command', exact: true }).fill('sh -c "cat motd.txt; cat"')
  await part(page, 'Shutdown').getByText('Signal', { exact: true }).click()
  await part(page, 'Shutdown').getByRole('combobox', { name: 'Signal' }).fill('15')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page.getByText('Unsaved changes')).toBeHidden()

  const id = await addServer(page, { template: 'Echo house', name: 'Lobby' })
  await expect(page.getByRole('log')).toContainText('Server installed')
  await expect(page.getByRole('log')).toContainText('good evening, traveller')

  // Edit the definition of the running server in the form, then as JSON.
  await page.goto(`${installation.url}/server/${id}?tab=admin`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: /^Definition of Lobby/ })
  await drawer
    .getByRole('region', { name: 'Environment variables' })
    .getByRole('button', { name: 'Add environment variable' })
    .click()
  await page.keyboard.type('TZ')
  await drawer.getByRole('textbox', { name: 'Value of TZ' }).fill('UTC')
  await drawer.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Saved. Changes apply at the next start.')).toBeVisible()
  await expect(drawer).toBeHidden()

  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await drawer.getByText('JSON', { exact: true }).click()
  await expect(drawer.getByRole('textbox', { name: 'JSON' })).toContainText('"TZ": "UTC"')
  await writeJson(page, '{\n  "type": "x",\n  "run": nothing\n}')
  await drawer.getByText('Editor', { exact: true }).click()
  await expect(drawer.getByText('Invalid JSON (line 3, column 10)')).toBeVisible()
  await writeJson(page, '{ "type": "x", "odd": [1], "run": { "command": "true", "stop": "bye" } }')
  await drawer.getByText('Editor', { exact: true }).click()
  await expect(drawer.getByRole('textbox', { name: 'Stop command' })).toHaveValue('bye')
  await drawer.getByText('JSON', { exact: true }).click()
  await expect(drawer.getByRole('textbox', { name: 'JSON' })).toContainText('"odd"')
  await drawer.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(drawer).toBeHidden()
  await page.getByRole('button', { name: 'Kill' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Kill' }).click()
})
