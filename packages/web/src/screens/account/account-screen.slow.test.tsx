import {
  confirmOtp,
  disableOtp,
  endOtherSessions,
  endSession,
  getCredentialCounts,
  getOtp,
  listSessions,
  putSelf,
  renewRecoveryCodes,
  type SessionView,
  startOtp,
} from '@innkeeper/contract/accounts/account'
import { listAccountClients } from '@innkeeper/contract/accounts/oauth2'
import { listSshKeys } from '@innkeeper/contract/accounts/ssh-keys'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { groupByFour } from './totp-setup.tsx'
// Loaded when it is first opened; here it is there already.
import './account-screen.tsx'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

function aSession(id: string, agent: string, isCurrent = false): SessionView {
  const times = { createdAt: '2026-11-20T08:00:00Z', usedAt: '2026-11-21T08:00:00Z', expiresAt: '2026-11-22T08:00:00Z' }
  return { id: id.repeat(64), agent, address: '203.0.113.9', isCurrent, ...times }
}

const codes = ['aaaa-1111', 'bbbb-2222']

const enabledAt = '2026-03-01T12:00:00.000Z'

/** A panel with one account, two-factor on or off. */
function aPanel(isOn = false): FakePanel {
  const panel = new FakePanel()
  let enabled = isOn
  let sessions = [aSession('a', firefox, true), aSession('b', 'curl/8.14.1')]
  panel.respond(putSelf, undefined)
  panel.respond(getOtp, () => ({ otpEnabled: enabled, ...(enabled ? { enabledAt, recoveryCodesLeft: 2 } : {}) }))
  panel.respond(startOtp, { secret: 'KB6X5T2JQ4WLN7ZD', img: 'data:image/png;base64,AAAA' })
  panel.respond(confirmOtp, () => {
    enabled = true
    return { recoveryCodes: codes }
  })
  panel.respond(renewRecoveryCodes, { recoveryCodes: codes })
  panel.respond(disableOtp, () => {
    enabled = false
    return undefined
  })
  panel.respond(listSessions, () => sessions)
  panel.respond(endSession, ({ path }) => {
    sessions = sessions.filter(({ id }) => !path.endsWith(id))
    return undefined
  })
  panel.respond(endOtherSessions, () => {
    sessions = sessions.filter(({ isCurrent }) => isCurrent)
    return undefined
  })
  panel.respond(listAccountClients, [])
  panel.respond(listSshKeys, [])
  return panel
}

async function openAccount(panel = aPanel()) {
  const opened = await openApp('/account', { as: ['servers.view'], panel })
  await screen.findByDisplayValue('mara')
  return opened
}
const getSection = (name: string) => within(screen.getByRole('region', { name }))

test('changing the username requires the current password, and only changes are sent', async () => {
  const { user, panel } = await openAccount()
  const details = getSection('Details')
  expect(details.queryByLabelText('Current password')).toBeNull()

  await user.clear(details.getByLabelText('Username'))
  await user.type(details.getByLabelText('Username'), 'mara_b{Enter}')
  await details.findByText('Current password is required')
  await user.type(details.getByLabelText('Current password'), 'correct horse{Enter}')

  await screen.findByText('Saved')
  expect(panel.requests(putSelf).map(({ body }) => body)).toEqual([{ username: 'mara_b', password: 'correct horse' }])
})

test('the details show that they are loading, and an error that names them', async () => {
  const panel = aPanel()
  const resume = panel.pause(getSelf)
  panel.respond(getSelf, new Refusal('ErrUnknownError'))
  await openApp('/account', { as: ['servers.view'], panel })
  const details = within(await screen.findByRole('region', { name: 'Details' }))

  await details.findByLabelText('Loading')
  resume()

  await details.findByRole('heading', { name: 'Could not load the user' })
})

test('Sign out, hidden on desktops, is the last control of the page', async () => {
  await openAccount()

  const buttons = within(screen.getByRole('main')).getAllByRole('button', { hidden: true })

  expect(buttons.at(-1)?.textContent).toBe('Sign out')
})

test('a user without any permission reads on the Account page whom to ask', async () => {
  await openApp('/account', { as: [], panel: aPanel() })

  await screen.findByText('Ask an administrator for access.')
})

test('text typed while the details are saved is kept', async () => {
  const panel = aPanel()
  const { user } = await openAccount(panel)
  const details = getSection('Details')
  await user.type(details.getByLabelText('Username'), '_b')
  await user.type(details.getByLabelText('Current password'), 'correct horse')
  const resume = panel.pause(putSelf)
  await user.click(details.getByRole('button', { name: 'Save' }))
  await user.type(details.getByLabelText('Email'), '.org')

  resume()

  await screen.findByText('Saved')
  expect(details.getByLabelText<HTMLInputElement>('Email').value).toBe('mara@example.net.org')
  expect(details.getByLabelText<HTMLInputElement>('Current password').value).toBe('')
})

test.each([
  ['Details', 'Username'],
  ['Password', 'New password'],
])('leaving %s with unsaved changes asks first, and no password is stored', async (name, label) => {
  const { user, path } = await openAccount()
  await user.type(getSection(name).getByLabelText(label), 'a quiet evening')

  await user.click(screen.getAllByRole('link', { name: /^Servers/ })[0] as HTMLElement)
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))

  expect(path()).toBe('/account')
  if (name === 'Password') expect(Object.values(sessionStorage).join()).not.toContain('quiet')
})

test('signing out with unsaved changes asks first', async () => {
  const { user, path } = await openAccount()
  await user.type(getSection('Details').getByLabelText('Username'), '_b')

  await user.click(screen.getAllByRole('button', { name: 'Sign out' })[0] as HTMLElement)
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(path()).toBe('/account')
  await user.click(screen.getAllByRole('button', { name: 'Sign out' })[0] as HTMLElement)
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }))

  await waitFor(() => expect(path()).toBe('/auth/login'))
  expect(Object.keys(sessionStorage)).toEqual([])
})

test.each([
  ['ErrInvalidCredentials', 'This is not your current password.', 'Current password'],
  ['ErrDuplicateEmail', 'This email address is taken', 'Email'],
] as const)('%s is shown at its field', async (code, message, label) => {
  const panel = aPanel()
  panel.respond(putSelf, new Refusal(code))
  const { user } = await openAccount(panel)
  const details = getSection('Details')

  await user.type(details.getByLabelText('Email'), 'x')
  await user.type(details.getByLabelText('Current password'), 'whatever{Enter}')

  await details.findByText(message)
  expect(document.activeElement).toBe(details.getByLabelText(label))
})

test('a new password is entered twice, its rules are checked, and other sessions are signed out', async () => {
  const { user, panel } = await openAccount()
  const password = getSection('Password')

  await user.type(password.getByLabelText('Current password'), 'correct horse')
  await user.type(password.getByLabelText('New password'), 'a quiet evening')
  expect(password.getAllByRole('img', { name: 'Met' })).toHaveLength(1)
  await user.type(password.getByLabelText('Repeat new password'), 'a quiet morning')
  await user.click(password.getByRole('button', { name: 'Change password' }))
  await password.findByText('Passwords are not the same')
  await user.clear(password.getByLabelText('Repeat new password'))
  await user.type(password.getByLabelText('Repeat new password'), 'a quiet evening{Enter}')

  await screen.findByText('Password changed')
  expect(panel.requests(putSelf).map(({ body }) => body)).toEqual([
    { password: 'correct horse', newPassword: 'a quiet evening', removeSshKeys: false, removeClients: false },
  ])
  expect(password.getByLabelText<HTMLInputElement>('New password').value).toBe('')
})

test('two-factor is set up with a secret and a code, and the recovery codes are shown until the user has saved them', async () => {
  const { user, panel } = await openAccount()
  await user.click(await screen.findByRole('button', { name: 'Set up two-factor authentication' }))
  const setUp = within(await screen.findByRole('form', { name: 'Set up two-factor authentication' }))
  expect(setUp.getByRole('img', { name: 'QR code with the secret for an authenticator app' })).toBeDefined()
  expect(setUp.getByText('KB6X 5T2J Q4WL N7ZD')).toBeDefined()

  await user.type(setUp.getByLabelText('Enter the code from the app'), '419022')
  await user.click(setUp.getByRole('button', { name: 'Turn on' }))

  const dialog = within(await screen.findByRole('dialog', { name: 'Save your recovery codes' }))
  expect(dialog.getAllByRole('listitem').map((item) => item.textContent)).toEqual(codes)
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog', { name: 'Save your recovery codes' })).not.toBeNull()
  await user.click(dialog.getByRole('button', { name: 'I have saved them' }))
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Save your recovery codes' })).toBeNull())
  expect(panel.requests(confirmOtp)[0]?.body).toEqual({ token: '419022', keepSshKeys: false })
  expect(getSection('Two-factor authentication').getByText('On')).toBeDefined()
})

test('a wrong code shows an error in the setup, and the secret stays', async () => {
  const panel = aPanel()
  panel.respond(confirmOtp, new Refusal('ErrInvalidCredentials'))
  const { user } = await openAccount(panel)
  await user.click(await screen.findByRole('button', { name: 'Set up two-factor authentication' }))
  const setUp = within(await screen.findByRole('form', { name: 'Set up two-factor authentication' }))

  await user.type(setUp.getByLabelText('Enter the code from the app'), '419022{Enter}')

  expect((await setUp.findByRole('alert')).textContent).toBe(
    'Incorrect code. Codes change every 30 seconds: enter the current one.',
  )
  expect(setUp.getByText('KB6X 5T2J Q4WL N7ZD')).toBeDefined()
  const code = setUp.getByLabelText<HTMLInputElement>('Enter the code from the app')
  expect([code.value, code.getAttribute('aria-invalid'), document.activeElement]).toEqual(['', 'true', code])
})

test('a code that was not sent because of another error can be sent again, with Ctrl+S too', async () => {
  const panel = aPanel()
  panel.respond(confirmOtp, new Refusal('ErrUnknownError'))
  const { user } = await openAccount(panel)
  await user.click(await screen.findByRole('button', { name: 'Set up two-factor authentication' }))
  const setUp = within(await screen.findByRole('form', { name: 'Set up two-factor authentication' }))
  const code = setUp.getByLabelText<HTMLInputElement>('Enter the code from the app')
  await user.type(code, '419022{Enter}')
  await setUp.findByRole('alert')

  expect(code.value).toBe('419022')
  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(panel.requests(confirmOtp)).toHaveLength(2))
})

test('turning two-factor on can keep the SSH keys', async () => {
  const panel = aPanel()
  const key = { id: 'k', name: 'laptop', algorithm: 'ssh-ed25519', fingerprint: 'SHA256:x', createdAt: enabledAt }
  panel.respond(listSshKeys, [key])
  const { user } = await openAccount(panel)
  await user.click(await screen.findByRole('button', { name: 'Set up two-factor authentication' }))
  const setUp = within(await screen.findByRole('form', { name: 'Set up two-factor authentication' }))

  await user.click(await setUp.findByRole('checkbox', { name: 'Keep my SSH key' }))
  await user.type(setUp.getByLabelText('Enter the code from the app'), '419022{Enter}')

  await screen.findByRole('dialog', { name: 'Save your recovery codes' })
  expect(panel.requests(confirmOtp)[0]?.body).toEqual({ token: '419022', keepSshKeys: true })
})

test('a new password removes the SSH keys when their box is ticked', async () => {
  const { user, panel } = await openAccount()
  const form = getSection('Password')
  await user.type(form.getByLabelText('Current password'), 'correct horse')
  await user.type(form.getByLabelText('New password'), 'a quiet evening')
  await user.type(form.getByLabelText('Repeat new password'), 'a quiet evening')

  await user.click(form.getByRole('checkbox', { name: 'Remove my SSH keys' }))
  await user.click(form.getByRole('button', { name: 'Change password' }))

  await screen.findByText('Password changed')
  expect(panel.requests(putSelf)[0]?.body).toMatchObject({ removeSshKeys: true, removeClients: false })
})

test('a new password offers to remove only what there is', async () => {
  const panel = aPanel()
  panel.respond(getCredentialCounts, { sshKeys: 0, clients: 2 })
  await openAccount(panel)

  await waitFor(() => expect(getSection('Password').queryByRole('checkbox', { name: 'Remove my SSH keys' })).toBeNull())
  expect(getSection('Password').getByRole('checkbox', { name: 'Delete my OAuth2 clients' })).toBeDefined()
})

test('turning two-factor off requires a code', async () => {
  const { user, panel } = await openAccount(aPanel(true))
  await user.click(await screen.findByRole('button', { name: 'Turn off' }))
  await screen.findByRole('dialog', { name: 'Turn off two-factor authentication?' })

  await user.type(screen.getByLabelText('6-digit code'), '419022')

  await screen.findByText('Two-factor authentication is off')
  expect(panel.requests(disableOtp)[0]?.path).toBe('/api/self/otp/419022')
})

test('shows since when two-factor is on', async () => {
  await openAccount(aPanel(true))

  expect((await screen.findByText(/^On since /)).textContent).toMatch(/Mar 1, 2026/)
})

test('creating new recovery codes requires a code and shows them once', async () => {
  const { user } = await openAccount(aPanel(true))
  await screen.findByText('2 recovery codes left')

  await user.click(screen.getByRole('button', { name: 'Create new recovery codes' }))
  await user.type(await screen.findByLabelText('6-digit code'), '419022')

  await screen.findByRole('dialog', { name: 'Save your recovery codes' })
})

test('another session can be signed out, the current one is marked', async () => {
  const { user } = await openAccount()
  const sessions = getSection('Sessions')
  const [current, other] = await sessions.findAllByRole('listitem')
  expect(current?.textContent).toContain('Firefox on Linux')
  expect(current?.textContent).toContain('This device')
  expect(within(current as HTMLElement).queryByRole('button')).toBeNull()

  await user.click(within(other as HTMLElement).getByRole('button', { name: 'Sign out Program (curl/8.14.1)' }))

  await waitFor(() => expect(sessions.getAllByRole('listitem')).toHaveLength(1))
})

test('many sessions are shown on request', async () => {
  const panel = aPanel()
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', '0']
  panel.respond(
    listSessions,
    ids.map((id) => aSession(id, firefox, id === 'a')),
  )
  const { user } = await openApp('/account', { as: [], panel })
  await screen.findByRole('region', { name: 'Sessions' })
  const sessions = getSection('Sessions')
  expect(await sessions.findAllByRole('listitem')).toHaveLength(5)

  await user.click(sessions.getByRole('button', { name: 'Show all 7 sessions' }))

  expect(sessions.getAllByRole('listitem')).toHaveLength(7)
})

test('all other sessions can be signed out', async () => {
  const { user, panel } = await openAccount()

  await user.click(await screen.findByRole('button', { name: 'Sign out other sessions' }))

  await screen.findByText('Signed out of all other sessions')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Sign out other sessions' })).toBeNull())
  expect(panel.requests(endOtherSessions)).toHaveLength(1)
})

test('a secret is grouped by four', () => {
  expect(groupByFour('KB6X5T2JQ4')).toBe('KB6X 5T2J Q4')
})
