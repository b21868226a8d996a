import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from './testing/fixtures.ts'
import { linkIn, Mailbox } from './testing/mailbox.ts'
import { fillInPassword, newBrowserPage, wren } from './testing/second-user.ts'

/** Fills in the login form. */
async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(wren.email)
  await page.getByLabel('Password', { exact: true }).fill(wren.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Configures the panel to send mail to the mailbox. */
async function configureMail(mailbox: Mailbox, page: Page): Promise<void> {
  await page.goto(new URL('/settings', page.url()).href)
  const email = page.getByRole('form', { name: 'Email' })
  await email.getByText('SMTP', { exact: true }).click()
  await email.getByLabel('Sender address').fill('inn@example.net')
  await email.getByLabel('Host and port').fill(mailbox.host)
  await email.getByRole('button', { name: 'Save and send test email' }).click()
  await expect(email.getByText('The mail server accepted the test email to mara@example.net.')).toBeVisible()
  const panel = page.getByRole('form', { name: 'Panel' })
  await panel.getByRole('button', { name: /^Use http/ }).click()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel.getByText('1 unsaved change')).toBeHidden()
}

test('an invited user creates an account, turns on two-factor, and logs in with a code', async ({
  adminPage: page,
  browser,
}) => {
  const mailbox = await Mailbox.start()
  try {
    await test.step('an administrator configures mail and sends an invitation', async () => {
      await configureMail(mailbox, page)
      await page.goto(new URL('/adduser', page.url()).href)
      await page.getByText('Invite by email').click()
      await page.getByRole('form', { name: 'Invite by email' }).getByLabel('Email').fill(wren.email)
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await expect(page.getByRole('main').getByText(`Invitation sent to ${wren.email}`)).toBeVisible()
    })
    const guest = await newBrowserPage(browser)

    const link = linkIn(await mailbox.mailTo(wren.email), '/auth/invite')

    await test.step('the link in the mail creates an account', async () => {
      await guest.goto(link)
      await expect(guest.getByText('mara invited you.')).toBeVisible()
      await expect(guest.getByLabel('Email')).toHaveValue(wren.email)
      await guest.getByLabel('Username').fill(wren.username)
      await fillInPassword(guest)
      await guest.getByRole('button', { name: 'Create account' }).click()
      await expect(guest.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible()
    })

    const authenticator = await test.step('turn on two-factor with the code of an authenticator app', async () => {
      await guest.getByRole('button', { name: 'Set up two-factor authentication' }).click()
      const enrolment = guest.getByRole('form', { name: 'Set up two-factor authentication' })
      const secret = (await enrolment.getByRole('code').innerText()).replaceAll(/\s/g, '')
      const totp = new TOTP({ secret: Secret.fromBase32(secret) })
      await enrolment.getByLabel('Enter the code from the app').fill(totp.generate())
      await enrolment.getByRole('button', { name: 'Turn on' }).click()
      await guest.getByRole('button', { name: 'I have saved them' }).click()
      await expect(guest.getByText('10 recovery codes left')).toBeVisible()
      return totp
    })

    await test.step('the login requires the password and a new code', async () => {
      await guest.getByRole('button', { name: 'Sign out' }).first().click()
      await logIn(guest)
      const dialog = guest.getByRole('dialog', { name: 'Enter your code' })
      // The code of the enrolment was used; the next one is already valid.
      const { period } = authenticator
      await dialog.getByLabel('6-digit code').fill(authenticator.generate({ timestamp: Date.now() + period * 1000 }))
      await expect(guest.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible()
    })

    await test.step('the link works once, and the activity shows the events', async () => {
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
