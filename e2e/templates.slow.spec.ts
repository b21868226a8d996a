import type { Locator, Page } from '@playwright/test'
import { expect, test } from './testing/fixtures.ts'

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('a conflict between two tabs is reported, and no input is lost', async ({
  adminPage: page,
  installation,
  context,
}) => {
  await page.goto(`${installation.url}/template/openttd`)
  const other = await context.newPage()
  await other.goto(`${installation.url}/template/openttd`)
  const display = (of: Page) => part(of, 'General').getByRole('textbox', { name: 'Display name' })
  await display(other).fill('Theirs')
  await other.getByRole('button', { name: 'Save template' }).click()
  await expect(other.getByText('Saved', { exact: true })).toBeVisible()
  await other.close()

  await display(page).fill('Mine')
  await page.getByRole('button', { name: 'Save template' }).click()
  await expect(page.getByText(/^mara changed this definition/)).toBeVisible()
  await expect(display(page)).toHaveValue('Mine')
  await page.getByRole('button', { name: 'Overwrite' }).click()
  await expect(page.getByRole('heading', { name: 'Mine', level: 1 })).toBeVisible()

  // Leaving with unsaved changes asks for confirmation.
  await display(page).fill('Mine again')
  await page.getByRole('link', { name: 'Nodes' }).first().click()
  const asking = page.getByRole('dialog', { name: 'Leave without saving?' })
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await expect(display(page)).toHaveValue('Mine again')
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await expect(display(page)).toHaveValue('Mine')
})

test('a template of the index can be imported, changed, and reset after a comparison', async ({
  adminPage: page,
  installation,
}) => {
  await page.goto(`${installation.url}/template/openttd`)
  await page.getByRole('button', { name: 'More actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete template' }).click()
  const asking = page.getByRole('dialog', { name: 'Delete OpenTTD?' })
  await asking.getByRole('textbox').fill('openttd')
  await asking.getByRole('button', { name: 'Delete template' }).click()
  await expect(page.getByText('Deleted OpenTTD')).toBeVisible()
  await page.getByRole('link', { name: 'Import' }).click()
  await page.getByRole('button', { name: 'Import OpenTTD' }).click()
  await expect(page.getByText('Imported OpenTTD')).toBeVisible()

  await page.goto(`${installation.url}/template/openttd`)
  await part(page, 'General').getByRole('textbox', { name: 'Display name' }).fill('Our trains')
  await page.getByRole('button', { name: 'Save template' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()

  await page.goto(`${installation.url}/template`)
  await page.getByRole('link', { name: 'Import' }).click()
  await expect(page.getByRole('heading', { name: 'Import templates', level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'See changes in OpenTTD' }).click()
  const dialog = page.getByRole('dialog', { name: 'Changes in OpenTTD' })
  await expect(dialog.getByRole('textbox', { name: 'Installed' })).toContainText('"display": "Our trains"')
  await expect(dialog.getByRole('textbox', { name: 'After import' })).toContainText('"display": "OpenTTD"')
  await dialog.getByRole('button', { name: 'Overwrite' }).click()
  await expect(page.getByText('Imported OpenTTD')).toBeVisible()
  await expect(page.getByRole('button', { name: 'See changes in OpenTTD' })).toBeHidden()

  await page.goto(`${installation.url}/template/openttd`)
  await expect(page.getByRole('heading', { name: 'OpenTTD', level: 1 })).toBeVisible()
})

/** Drags with the mouse in several moves. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await from.scrollIntoViewIfNeeded()
  const [start, end] = [await from.boundingBox(), await to.boundingBox()]
  if (!start || !end) throw new Error('there is nothing to drag')
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2)
  await page.mouse.down()
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 8 })
  await page.mouse.up()
}

test('variables of an uploaded template can be sorted by drag and drop, and are shown in groups', async ({
  adminPage: page,
  installation,
}) => {
  const orchard = {
    type: 'game',
    display: 'Orchard',
    data: {
      backup: { type: 'boolean', value: 'false', display: 'Back up', userEdit: true },
      interval: { type: 'integer', value: '', display: 'Interval', required: true, userEdit: true },
      seed: { value: 'oak', display: 'Seed', desc: 'Any **word**', userEdit: true },
    },
    groups: [{ display: 'Backups', if: 'backup', variables: ['interval'] }],
    run: { command: 'cat', stop: 'stop' },
    environment: { type: 'standard' },
  }
  await page.goto(`${installation.url}/importtemplates`)
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload a file' }).click()
  const buffer = Buffer.from(JSON.stringify(orchard))
  await (await choosing).setFiles({ name: 'orchard.json', mimeType: 'application/json', buffer })
  await page.getByRole('dialog').getByRole('button', { name: 'Save template' }).click()
  await expect(page.getByText('Imported orchard')).toBeVisible()

  await page.goto(`${installation.url}/template/orchard`)
  const variables = part(page, 'Variables')
  const grip = (name: string) => variables.getByRole('button', { name: `Move ${name}`, exact: true })
  await drag(page, grip('seed'), grip('backup'))
  await expect(variables.getByRole('listitem').first()).toContainText('Seed')
  await page.getByRole('button', { name: 'Save template' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()

  await page.goto(`${installation.url}/addserver`)
  await page.getByRole('radiogroup', { name: 'Template' }).getByRole('radio', { name: 'Orchard' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Where should it run?' })).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Meadow')
  const backups = page.getByRole('region', { name: 'Backups' })
  const interval = backups.getByRole('textbox', { name: 'Interval' })
  const backUp = page.getByRole('switch', { name: 'Back up' })
  await expect(page.getByText('word', { exact: true })).toBeVisible()
  await expect(backups).toBeHidden()
  await backUp.press('Space')
  await expect(interval).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Interval is required')).toBeVisible()
  await interval.fill('30')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Create server' }).click()

  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect(interval).toHaveValue('30')
  await backUp.press('Space')
  await expect(backups).toBeHidden()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Seed' })).toHaveValue('oak')
  await expect(backups).toBeHidden()
  await backUp.press('Space')
  await expect(interval).toHaveValue('30')
})

test('a template says how its game is asked and whether it responds, on a phone', async ({
  adminPage: page,
  installation,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${installation.url}/template/openttd`)
  const query = part(page, 'Query')
  const checks = part(page, 'Response checks')
  const select = async (of: Locator, name: string, option: string) => {
    await of.getByRole('combobox', { name }).click()
    await page.getByRole('option', { name: option }).click()
  }

  await select(query, 'Protocol', 'Not asked')
  await expect(checks.getByText('Select under Query how the game is asked.')).toBeVisible()
  await select(query, 'Protocol', 'OpenTTD')
  await query.getByRole('textbox', { name: 'Query port' }).fill('${port}+1')
  await checks.getByRole('button', { name: 'Add check' }).click()
  await select(checks, 'Check 2', 'The console answers a command')
  const second = checks.getByRole('group', { name: 'Check 2' })
  await second.getByRole('textbox', { name: 'Command of the check' }).fill('clients')
  await second.getByRole('textbox', { name: 'Pattern of the answer' }).fill('^Client')
  await checks.getByRole('textbox', { name: 'Save command' }).fill('save')
  await checks.getByRole('textbox', { name: 'Length of the pause (seconds)' }).fill('60')
  await page.getByRole('button', { name: 'Save template' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()

  await page.reload()
  await expect(query.getByRole('textbox', { name: 'Query port' })).toHaveValue('${port}+1')
  await expect(second.getByRole('textbox', { name: 'Command of the check' })).toHaveValue('clients')
  await expect(checks.getByRole('textbox', { name: 'Length of the pause (seconds)' })).toHaveValue('60')
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBe(0)
})
