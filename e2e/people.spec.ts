import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { linkIn, Mailbox } from './testing/mailbox.ts'
import { addServer, expect, test } from './testing/story.ts'

const run = promisify(execFile)
const wren = { username: 'wren', email: 'wren@example.net', password: 'a quiet evening' }

/** How soon somebody else's page must show that a right was given or taken. */
const within = { timeout: 5_000 }

/** A browser of somebody else. */
async function newcomer(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } })
  return context.newPage()
}

async function fillInPassword(page: Page): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(wren.password)
  await page.getByLabel('Repeat password').fill(wren.password)
}

/** Types email and password on the login. */
async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(wren.email)
  await page.getByLabel('Password', { exact: true }).fill(wren.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Asks from the command line, as a person tries a program's credentials. */
async function curl(...args: readonly string[]): Promise<{ readonly status: number; readonly body: unknown }> {
  const { stdout } = await run('curl', ['--silent', '--max-time', '20', '--write-out', '\n%{http_code}', ...args])
  const at = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(at + 1)), body: JSON.parse(stdout.slice(0, at)) as unknown }
}

/** Has the panel send its mail to the mailbox, as an administrator does. */
async function sendMailTo(mailbox: Mailbox, page: Page): Promise<void> {
  await page.goto(new URL('/settings', page.url()).href)
  const email = page.getByRole('form', { name: 'Email' })
  await email.getByText('SMTP', { exact: true }).click()
  await email.getByLabel('Sender address').fill('inn@example.net')
  await email.getByLabel('Host and port').fill(mailbox.host)
  await email.getByRole('button', { name: 'Save and send test email' }).click()
  await expect(email.getByText('Test email accepted for mara@example.net.')).toBeVisible()
  const panel = page.getByRole('form', { name: 'Panel' })
  await panel.getByRole('button', { name: /^Use http/ }).click()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel.getByText('1 unsaved change')).toBeHidden()
}

test('somebody invited by mail joins, switches two-factor on, and logs in with a code', async ({
  house: page,
  browser,
}) => {
  const mailbox = await Mailbox.open()
  try {
    await test.step('an administrator sets mail up and invites', async () => {
      await sendMailTo(mailbox, page)
      await page.goto(new URL('/adduser', page.url()).href)
      await page.getByText('Invite by email').click()
      await page.getByRole('form', { name: 'Invite by email' }).getByLabel('Email').fill(wren.email)
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await expect(page.getByRole('main').getByText(`Invitation sent to ${wren.email}`)).toBeVisible()
    })
    const guest = await newcomer(browser)

    const link = linkIn(await mailbox.mailTo(wren.email), '/auth/invite')

    await test.step('the link of the mail makes an account', async () => {
      await guest.goto(link)
      await expect(guest.getByText('mara invited you.')).toBeVisible()
      await expect(guest.getByLabel('Email')).toHaveValue(wren.email)
      await guest.getByLabel('Username').fill(wren.username)
      await fillInPassword(guest)
      await guest.getByRole('button', { name: 'Create account' }).click()
      await expect(guest.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible()
    })

    const authenticator = await test.step('two-factor is switched on with the code of an authenticator', async () => {
      await guest.getByRole('button', { name: 'Set up two-factor' }).click()
      const enrolment = guest.getByRole('form', { name: 'Set up two-factor' })
      const secret = (await enrolment.getByRole('code').innerText()).replaceAll(/\s/g, '')
      const made = new TOTP({ secret: Secret.fromBase32(secret) })
      await enrolment.getByLabel('Enter the code it shows').fill(made.generate())
      await enrolment.getByRole('button', { name: 'Turn on' }).click()
      await guest.getByRole('button', { name: 'I have saved them' }).click()
      await expect(guest.getByText('10 recovery codes left')).toBeVisible()
      return made
    })

    await test.step('the password alone no longer lets them in; the next code does', async () => {
      await guest.getByRole('button', { name: 'Sign out' }).first().click()
      await logIn(guest)
      const dialog = guest.getByRole('dialog', { name: 'Enter your code' })
      // The code of the enrolment is used up; the one after it is as good.
      const { period } = authenticator
      await dialog.getByLabel('6-digit code').fill(authenticator.generate({ timestamp: Date.now() + period * 1000 }))
      await expect(guest.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible()
    })

    await test.step('the link is good once, and what they did is written down', async () => {
      await guest.goto(link)
      await expect(guest.getByRole('heading', { name: 'Your invite link appears to be invalid' })).toBeVisible()
      await page.goto(new URL('/activity', page.url()).href)
      await expect(page.getByRole('row', { name: /wren .*Accepted an invitation/ })).toBeVisible()
      await expect(page.getByRole('row', { name: /wren .*Turned on two-factor authentication/ })).toBeVisible()
    })
  } finally {
    await mailbox.close()
  }
})

test('a right that is given or taken shows at once to the person who watches the console', async ({
  house: page,
  browser,
}) => {
  const guest = await newcomer(browser)
  await test.step('the administrator lets people register', async () => {
    await page.goto(new URL('/settings', page.url()).href)
    await page.getByRole('switch', { name: 'Allow registration' }).press('Space')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await expect(page.getByText('Saved')).toBeVisible()
  })

  await test.step('somebody registers', async () => {
    await guest.goto(new URL('/auth/register', page.url()).href)
    await guest.getByLabel('Username').fill(wren.username)
    await guest.getByLabel('Email').fill(wren.email)
    await fillInPassword(guest)
    await guest.getByRole('button', { name: 'Register' }).click()
    await expect(guest.getByRole('heading', { name: 'Your account is ready' })).toBeVisible()
  })

  await test.step('the administrator says that the address is theirs', async () => {
    await page.goto(new URL('/user', page.url()).href)
    await page.getByRole('link', { name: new RegExp(wren.username) }).click()
    await page.getByRole('button', { name: 'Confirm email' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm email' }).click()
    await expect(page.getByText('Email not confirmed')).toBeHidden()
  })

  const id = await addServer(page, { template: 'OpenTTD', name: 'Night Trains' })
  const users = page.getByRole('region', { name: 'Access' })
  const can = (right: string) => users.getByRole('switch', { name: `${wren.username}, ${right}` })
  const update = async () => {
    await users.getByRole('button', { name: `Update ${wren.username}` }).click()
    await expect(users.getByRole('button', { name: `Update ${wren.username}` })).toBeHidden()
  }
  const command = guest.getByRole('textbox', { name: 'Command' })

  await test.step('the server is not theirs to see', async () => {
    await guest.goto(new URL(`/server/${id}`, page.url()).href)
    await expect(guest.getByText('This page does not exist')).toBeVisible()
  })

  await test.step('with the right to look they watch the console', async () => {
    await page.getByRole('tab', { name: 'Users' }).click()
    await users.getByRole('button', { name: 'Add user' }).click()
    await users.getByRole('textbox', { name: 'Email' }).fill(wren.email)
    await expect(users.getByRole('switch', { name: `${wren.email}, View console` })).toBeChecked()
    await users.getByRole('button', { name: 'Save' }).click()
    await expect(can('View console')).toBeChecked()
    await guest.goto(new URL(`/server/${id}`, page.url()).href)
    await expect(guest.getByRole('log')).toBeVisible()
    await expect(command).toBeHidden()
  })

  await test.step('the right to send commands is given', async () => {
    await can('Send commands').press('Space')
    await update()
    await expect(command).toBeVisible(within)
  })

  await test.step('and taken', async () => {
    await can('Send commands').press('Space')
    await update()
    await expect(command).toBeHidden(within)
    await expect(guest.getByRole('log')).toBeVisible()
  })

  await test.step('without any right the page is over', async () => {
    await users.getByRole('button', { name: `Remove ${wren.username}` }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove user' }).click()
    await expect(guest.getByText('You no longer have access to this server.')).toBeVisible(within)
  })
})

test('a program works with an OAuth2 client of an account until it is deleted', async ({ house: page, product }) => {
  await addServer(page, { template: 'OpenTTD', name: 'Night Trains' })

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
  const ask = () =>
    curl(
      ...['--data', 'grant_type=client_credentials', '--data-urlencode', `client_id=${client.id}`],
      ...['--data-urlencode', `client_secret=${client.secret}`, `${product.url}/oauth2/token`],
    )
  const askWithBasic = () =>
    curl(
      ...['--user', `${client.id}:${client.secret}`, '--data', 'grant_type=client_credentials'],
      `${product.url}/oauth2/token`,
    )
  const listServers = (token: string) =>
    curl('--header', `Authorization: Bearer ${token}`, `${product.url}/api/servers`)

  const token = await test.step('it is good for a token, and the token for the servers of its owner', async () => {
    const { body } = await ask()
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
    expect((await askWithBasic()).body).toMatchObject({ token_type: 'Bearer' })
    const { access_token: given } = body as { access_token: string }
    expect((await listServers(given)).body).toMatchObject({ servers: [{ name: 'Night Trains' }] })
    return given
  })

  await test.step('deleted, neither it nor its token is good for anything', async () => {
    await page.getByRole('button', { name: 'Delete Status page' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Status page?' })
    await dialog.getByRole('switch', { name: 'I understand that programs using it stop working' }).press('Space')
    await dialog.getByRole('button', { name: 'Delete client' }).click()
    await expect(page.getByText('No clients. Create one to use the API.')).toBeVisible()
    expect(await ask()).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
    expect(await askWithBasic()).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    await expect.poll(async () => (await listServers(token)).status, within).toBe(401)
  })
})
