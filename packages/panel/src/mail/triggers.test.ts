import { confirmOtp, disableOtp, putSelf, startOtp } from '@innkeeper/contract/accounts/account'
import { createInvite } from '@innkeeper/contract/accounts/invites'
import { createAccountClient, createServerClient, deleteAccountClient } from '@innkeeper/contract/accounts/oauth2'
import { removePasskey } from '@innkeeper/contract/accounts/passkeys'
import { forgotPassword } from '@innkeeper/contract/accounts/password-reset'
import { deleteServerUser, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { register } from '@innkeeper/contract/accounts/sign-up'
import { addSshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { createUser } from '@innkeeper/contract/accounts/users'
import { type MailKind, mailKinds } from '@innkeeper/contract/alerts/mail'
import { deleteServer } from '@innkeeper/contract/servers/servers'
import { getSelf, putUserSetting } from '@innkeeper/contract/settings/panel'
import { postSettings, putSetting } from '@innkeeper/contract/settings/settings'
import { languageSetting } from '@innkeeper/contract/text/languages'
import { Secret, TOTP } from 'otpauth'
import { afterEach, expect, vi } from 'vitest'
import { wrongCodesToLock, wrongCodesToMail } from '../auth/otp-attempts.ts'
import { MailServer } from '../testing/mail-server.ts'
import { addTestPasskey } from '../testing/test-authenticator.ts'
import { test as inHouse, password, type TestPanel, type TestUser } from '../testing/test-panel.ts'

const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILz6rkDKeLiCyOZhYyDaRHq7BPGwIzS2/0AgVkYp7m1s mara@desk'

interface Fixture {
  readonly testPanel: TestPanel
  readonly admin: TestUser
  readonly user: TestUser
  /** A server that both users may see. */
  readonly server: string
}

/** The actions that cause each mail, to the user or to another one. */
const triggers: Record<MailKind, (fixture: Fixture) => Promise<unknown>> = {
  invite: ({ testPanel, admin }) =>
    testPanel.send(createInvite, { body: { email: 'new@example.org' } }, admin, { host: 'evil.example' }),
  accountCreation: ({ testPanel, admin }) => {
    const body = { username: 'newcomer', email: 'new@example.org', password: 'long enough' }
    return testPanel.send(createUser, { body }, admin)
  },
  async emailConfirm({ testPanel, admin }) {
    const key = 'panel.registrationEnabled'
    await testPanel.send(putSetting, { params: { key }, body: { value: true } }, admin)
    const body = { username: 'newcomer', email: 'new@example.org', password: 'long enough' }
    await testPanel.send(register, { body }, undefined, { 'accept-language': 'de' })
  },
  async addedToServer({ testPanel, admin, user }) {
    const id = await testPanel.server({ name: 'arena' })
    await testPanel.send(putServerUser, { params: { id, email: user.email }, body: { startServer: true } }, admin)
  },
  removedFromServer: ({ testPanel, admin, user, server: id }) =>
    testPanel.send(deleteServerUser, { params: { id, email: user.email } }, admin),
  deletedServer: ({ testPanel, admin, server: id }) =>
    testPanel.send(deleteServer, { params: { id }, query: {} }, admin),
  passwordChanged: ({ testPanel, user }) =>
    testPanel.send(putSelf, { body: { password, newPassword: 'another one' } }, user),
  emailChanged: ({ testPanel, user }) =>
    testPanel.send(putSelf, { body: { password, email: 'moved@example.org' } }, user),
  otpEnabled: ({ testPanel, user }) => enrol(testPanel, user),
  async otpDisabled({ testPanel, user }) {
    const [code = ''] = await enrol(testPanel, user)
    await testPanel.send(disableOtp, { params: { token: code } }, user)
  },
  async otpWrongCodes({ testPanel, user }) {
    await enrol(testPanel, user)
    for (let at = 0; at < wrongCodesToMail; at++) await wrongCode(testPanel, user)
  },
  async otpLocked({ testPanel, user }) {
    await enrol(testPanel, user)
    const wrong_codes = wrongCodesToLock - 1
    await testPanel.db.updateTable('two_factor').set({ wrong_codes }).where('user_id', '=', user.id).execute()
    await wrongCode(testPanel, user)
  },
  passkeyAdded: ({ testPanel, user }) => addTestPasskey(testPanel, user),
  async passkeyRemoved({ testPanel, user }) {
    const { id } = await addTestPasskey(testPanel, user)
    await testPanel.send(removePasskey, { params: { id } }, user)
  },
  oauthCreated: ({ testPanel, user, server: id }) =>
    testPanel.send(createServerClient, { params: { id }, body: { name: 'backup' } }, user),
  async oauthDeleted({ testPanel, user }) {
    const { answer } = await testPanel.send(createAccountClient, { body: { name: 'backup' } }, user)
    await testPanel.send(deleteAccountClient, { params: { id: answer.id } }, user)
  },
  async oauthNewNetwork({ testPanel, user }) {
    const { id, client } = await testPanel.createClient(user)
    await testPanel.db.updateTable('oauth2_clients').set({ name: 'backup' }).where('id', '=', id).execute()
    const row = { client_id: id, network: '192.0.2.1', first_used_at: 0 }
    await testPanel.db.insertInto('oauth2_client_networks').values(row).execute()
    await testPanel.send(getSelf, {}, client)
  },
  sshKeyAdded: ({ testPanel, user }) => testPanel.send(addSshKey, { body: { key: sshKey, password } }, user),
  async accessRemoved({ testPanel, user }) {
    await testPanel.send(addSshKey, { body: { key: sshKey, password } }, user)
    await testPanel.send(createAccountClient, { body: { name: 'backup' } }, user)
    const body = { password, newPassword: 'another one', removeSshKeys: true, removeClients: true }
    await testPanel.send(putSelf, { body }, user)
  },
  passwordReset: ({ testPanel, user }) =>
    testPanel.send(forgotPassword, { body: { email: user.email } }, undefined, { host: 'evil.example' }),
}

const wrongCode = (testPanel: TestPanel, user: TestUser) =>
  testPanel.send(disableOtp, { params: { token: '000000' } }, user)

async function enrol(testPanel: TestPanel, user: TestUser): Promise<readonly string[]> {
  const { secret } = (await testPanel.send(startOtp, {}, user)).answer
  const token = TOTP.generate({ secret: Secret.fromBase32(secret) })
  return (await testPanel.send(confirmOtp, { body: { token } }, user)).answer.recoveryCodes
}

const expectedMails: Record<MailKind, { readonly to?: string; readonly subject: string; readonly text: RegExp }> = {
  invite: {
    to: 'new@example.org',
    subject: 'Sie sind zu Northwind eingeladen',
    text: /person1 lädt Sie .* bis \d+\. /s,
  },
  accountCreation: { to: 'new@example.org', subject: 'Ihr Konto bei Northwind', text: /Benutzername ist newcomer/ },
  emailConfirm: {
    to: 'new@example.org',
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: /Konto newcomer .* bis \d+\. /s,
  },
  addedToServer: { subject: 'Du har tilgang til arena', text: /person1 har gitt deg tilgang til serveren arena\./ },
  removedFromServer: { subject: 'Tilgangen din til lobby er avsluttet', text: /lenger tilgang til serveren lobby\./ },
  deletedServer: { subject: 'Serveren lobby er slettet', text: /Serveren lobby, .* med alle filene\./ },
  passwordChanged: { subject: 'Passordet ditt er endret', text: /Northwind er endret/ },
  emailChanged: { subject: 'E-postadressen din er endret', text: /Northwind er nå moved@example\.org/ },
  otpEnabled: { subject: 'Tofaktorautentisering er på', text: /krever nå også en kode/ },
  otpDisabled: { subject: 'Tofaktorautentisering er av', text: /krever ikke lenger en kode/ },
  otpWrongCodes: { subject: 'Feil koder for tofaktorautentisering', text: /Den som skrev dem inn, kjenner passordet/ },
  otpLocked: { subject: 'Koder for tofaktorautentisering godtas ikke lenger', text: /gjenopprettingskode/ },
  passkeyAdded: { subject: 'En passnøkkel er lagt til', text: /Passnøkkelen laptop er lagt til .* Northwind/ },
  passkeyRemoved: { subject: 'En passnøkkel er fjernet', text: /Passnøkkelen laptop er fjernet .* Northwind/ },
  oauthCreated: {
    subject: 'En OAuth2-klient er opprettet',
    text: /OAuth2-klienten backup .*\n\nDen gjelder serveren lobby\./,
  },
  oauthDeleted: { subject: 'En OAuth2-klient er slettet', text: /OAuth2-klienten backup / },
  oauthNewNetwork: {
    subject: 'En OAuth2-klient er brukt fra et nytt nettverk',
    text: /OAuth2-klienten backup .* er brukt fra 127\.0\.0\.1\./,
  },
  sshKeyAdded: { subject: 'En SSH-nøkkel er lagt til', text: /SSH-nøkkelen mara@desk \(SHA256:/ },
  accessRemoved: {
    subject: 'SSH-nøkler eller OAuth2-klienter er fjernet',
    text: /Northwind: mara@desk\n\n.*Northwind: backup\n/s,
  },
  passwordReset: {
    subject: 'Velg et nytt passord',
    text: /Lenken virker én gang, til \d+\. \p{L}+ \d{4} kl\. \d+:\d+ UTC/u,
  },
}

const open: MailServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop()
})

inHouse.for(mailKinds)(
  'the mail %s is sent in the language of its recipient by the action',
  async (kind, { testPanel }) => {
    const smtp = await MailServer.start()
    open.push(smtp)
    const [admin, user] = [await testPanel.admin(), await testPanel.createUser()]
    const server = await testPanel.server({ name: 'lobby' })
    await testPanel.grant(user.id, server, ['startServer'])
    const settings = {
      'panel.settings.masterUrl': 'https://panel.example.org',
      'panel.settings.companyName': 'Northwind',
      'panel.email.provider': 'smtp',
      'panel.email.host': `smtp://127.0.0.1:${smtp.port}`,
      'panel.email.from': 'panel@example.org',
    } as const
    await testPanel.send(postSettings, { body: settings }, admin)
    const choose = (who: TestUser, value: string) =>
      testPanel.send(putUserSetting, { params: { key: languageSetting }, body: { value } }, who)
    await choose(admin, 'de_DE')
    await choose(user, 'no_NO')

    await triggers[kind]({ testPanel, admin, user, server })

    const { to = user.email, subject, text } = expectedMails[kind]
    const got = await vi.waitFor(() => {
      const found = smtp.received.find((mail) => mail.subject === subject)
      if (!found) throw new Error(`No mail says ${subject}: ${smtp.received.map((mail) => mail.subject).join(' · ')}`)
      return found
    }, 10_000)
    expect(got.to).toEqual([to])
    expect(got.text.replaceAll('\r\n', '\n')).toMatch(text)
    const links = [...`${got.text} ${got.html}`.matchAll(/https?:\/\/[^/\s"<]+/g)].map(([link]) => link)
    expect(links.filter((link) => link !== 'https://panel.example.org')).toEqual([])
  },
)
