import { createServer, expect, firstAdmin, setUp, test } from './testing/fixtures.ts'

test('invalid input is reported at its field, and no input is lost', async ({ page, installation }) => {
  await page.goto(installation.url)
  await page.getByLabel('Setup code').fill('WRONG-CODE')
  await page.getByLabel('Username').fill('a b')
  await page.getByLabel('Email').fill('nobody')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Repeat password', { exact: true }).fill('different')
  await page.getByRole('button', { name: 'Create administrator' }).click()
  await expect(page.getByText('Username must be at least 3 characters')).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveValue('nobody')

  await setUp(page, installation)
  await createServer(page, { template: 'generic-command', name: 'Lobby' })
  await page.goto(`${installation.url}/addserver`)
  await page.getByRole('radiogroup', { name: 'Template' }).getByRole('radio', { name: 'Any command' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Where should it run?' })).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Lobby')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Create server' }).click()
  await expect(page.getByText('A server with this name already exists')).toBeVisible()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Lobby two')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Create server' }).click()
  await expect(page.getByRole('heading', { name: 'Lobby two', level: 1 })).toBeVisible()
})

test('after a session ends elsewhere, the login returns to the same page', async ({
  adminPage: page,
  installation,
}) => {
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby' })
  const token = (await page.context().cookies()).find(({ name }) => name === 'innkeeper_session')?.value
  // An open page gets the event at once, and may be at the login before it is left.
  await page.goto('about:blank')
  await fetch(`${installation.url}/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })

  await page.goto(`${installation.url}/server/${id}?tab=settings`)
  await expect(page.getByText('Your session timed out, please log in again').first()).toBeVisible()
  await page.getByLabel('Email').fill(firstAdmin.email)
  await page.getByLabel('Password', { exact: true }).fill(firstAdmin.password)
  await page.keyboard.press('Enter')

  await expect(page.getByRole('tab', { name: 'Settings' })).toHaveAttribute('aria-selected', 'true')
})
