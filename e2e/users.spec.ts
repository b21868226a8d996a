import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createServer, expect, test } from './testing/fixtures.ts'
import { fillInPassword, newBrowserPage, wren } from './testing/second-user.ts'

const run = promisify(execFile)

/** The time until an open page must show a changed permission. */
const soon = { timeout: 5_000 }

/** Sends a request with curl. */
async function curl(...args: readonly string[]): Promise<{ readonly status: number; readonly body: unknown }> {
  const { stdout } = await run('curl', ['--silent', '--max-time', '20', '--write-out', '\n%{http_code}', ...args])
  const lastLine = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(lastLine + 1)), body: JSON.parse(stdout.slice(0, lastLine)) as unknown }
}

test('granting and revoking a permission takes effect at once on an open console', async ({
  adminPage: page,
  browser,
}) => {
  const guest = await newBrowserPage(browser)
  await test.step('allow registration', async () => {
    await page.goto(new URL('/settings', page.url()).href)
    await page.getByRole('switch', { name: 'Allow registration' }).press('Space')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await expect(page.getByText('Saved')).toBeVisible()
  })

  await test.step('register', async () => {
    await guest.goto(new URL('/auth/register', page.url()).href)
    await guest.getByLabel('Username').fill(wren.username)
    await guest.getByLabel('Email').fill(wren.email)
    await fillInPassword(guest)
    await guest.getByRole('button', { name: 'Register' }).click()
    await expect(guest.getByRole('heading', { name: 'Your account is ready' })).toBeVisible()
  })

  await test.step('confirm the email address', async () => {
    await page.goto(new URL('/user', page.url()).href)
    await page.getByRole('link', { name: new RegExp(wren.username) }).click()
    await page.getByRole('button', { name: 'Confirm email' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm email' }).click()
    await expect(page.getByText('Email not confirmed')).toBeHidden()
  })

  await test.step('a phone shows the list and the user on separate screens', async () => {
    const search = page.getByRole('searchbox', { name: 'Search by username or email' })
    const heading = page.getByRole('heading', { name: wren.username })
    const size = page.viewportSize()
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(heading).toBeVisible()
    await expect(search).toBeHidden()
    await page.getByRole('link', { name: 'Back to Users' }).click()
    await expect(search).toBeVisible()
    await expect(page.getByText('Select a user')).toBeHidden()
    if (size) await page.setViewportSize(size)
  })

  const id = await createServer(page, { template: 'openttd', name: 'Night Trains' })
  await page.goto(new URL(`/server/${id}`, page.url()).href)
  const users = page.getByRole('region', { name: 'Access' })
  const permission = (label: string) => users.getByRole('switch', { name: `${wren.username}, ${label}` })
  const update = async () => {
    await users.getByRole('button', { name: `Update ${wren.username}` }).click()
    await expect(users.getByRole('button', { name: `Update ${wren.username}` })).toBeHidden()
  }
  const command = guest.getByRole('textbox', { name: 'Command' })

  await test.step('the server is not visible', async () => {
    await guest.goto(new URL(`/server/${id}`, page.url()).href)
    await expect(guest.getByText('Server not found')).toBeVisible()
  })

  await test.step('permission to view the console', async () => {
    await page.getByRole('tab', { name: 'Users' }).click()
    await users.getByRole('button', { name: 'Add user' }).click()
    await users.getByRole('combobox', { name: 'Email' }).fill(wren.email)
    await expect(users.getByRole('switch', { name: `${wren.email}, View console` })).toBeChecked()
    await users.getByRole('button', { name: 'Save' }).click()
    await expect(permission('View console')).toBeChecked()
    await guest.goto(new URL(`/server/${id}`, page.url()).href)
    await expect(guest.getByRole('log')).toBeVisible()
    await expect(command).toBeHidden()
  })

  await test.step('permission to send commands', async () => {
    await permission('Send commands').press('Space')
    await update()
    await expect(command).toBeVisible(soon)
  })

  await test.step('permission to send commands revoked', async () => {
    await permission('Send commands').press('Space')
    await update()
    await expect(command).toBeHidden(soon)
    await expect(guest.getByRole('log')).toBeVisible()
  })

  await test.step('access removed', async () => {
    await users.getByRole('button', { name: `Remove ${wren.username}` }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove user' }).click()
    await expect(guest.getByText('You no longer have access to this server.')).toBeVisible(soon)
  })
})

test('a program can use an OAuth2 client of an account until it is deleted', async ({
  adminPage: page,
  installation,
}) => {
  await createServer(page, { template: 'openttd', name: 'Night Trains' })

  const client = await test.step('create a client', async () => {
    await page.goto(new URL('/account', page.url()).href)
    await page.getByRole('button', { name: 'Create client' }).click()
    const form = page.getByRole('dialog', { name: 'Create OAuth2 client' })
    await form.getByLabel('Name').fill('Status page')
    await form.getByRole('button', { name: 'Create client' }).click()
    const credentials = page.getByRole('dialog', { name: 'OAuth2 client created' })
    const id = await credentials.getByLabel('Client ID', { exact: true }).inputValue()
    const secret = await credentials.getByLabel('Client secret', { exact: true }).inputValue()
    await credentials.getByRole('button', { name: 'I have saved it' }).click()
    return { id, secret }
  })
  const requestToken = () =>
    curl(
      ...['--data', 'grant_type=client_credentials', '--data-urlencode', `client_id=${client.id}`],
      ...['--data-urlencode', `client_secret=${client.secret}`, `${installation.url}/oauth2/token`],
    )
  const requestTokenWithBasic = () =>
    curl(
      ...['--user', `${client.id}:${client.secret}`, '--data', 'grant_type=client_credentials'],
      `${installation.url}/oauth2/token`,
    )
  const listServers = (token: string) =>
    curl('--header', `Authorization: Bearer ${token}`, `${installation.url}/api/servers`)

  const token = await test.step('get a token and list the servers of the owner', async () => {
    const { body } = await requestToken()
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
    expect((await requestTokenWithBasic()).body).toMatchObject({ token_type: 'Bearer' })
    const { access_token: accessToken } = body as { access_token: string }
    expect((await listServers(accessToken)).body).toMatchObject({ servers: [{ name: 'Night Trains' }] })
    return accessToken
  })

  await test.step('after deletion neither client nor token works', async () => {
    await page.getByRole('button', { name: 'Delete Status page' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Status page?' })
    await dialog.getByRole('switch', { name: 'I understand that programs using it stop working' }).press('Space')
    await dialog.getByRole('button', { name: 'Delete client' }).click()
    await expect(page.getByText('No clients. Create one to use the API.')).toBeVisible()
    expect(await requestToken()).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
    expect(await requestTokenWithBasic()).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    await expect.poll(async () => (await listServers(token)).status, soon).toBe(401)
  })
})
