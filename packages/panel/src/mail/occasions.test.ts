import { confirmOtp, disableOtp, putSelf, startOtp } from '@innkeeper/contract/account'
import { register } from '@innkeeper/contract/auth'
import { createInvite } from '@innkeeper/contract/invites'
import { languageSetting } from '@innkeeper/contract/languages'
import { limits } from '@innkeeper/contract/limits'
import { type MailKind, mailKinds } from '@innkeeper/contract/mail'
import { createAccountClient, createServerClient, deleteAccountClient } from '@innkeeper/contract/oauth2'
import { putUserSetting } from '@innkeeper/contract/panel'
import { forgotPassword } from '@innkeeper/contract/password-reset'
import { deleteServerUser, putServerUser } from '@innkeeper/contract/server-users'
import { deleteServer } from '@innkeeper/contract/servers'
import { postSettings, putSetting } from '@innkeeper/contract/settings'
import { addSshKey } from '@innkeeper/contract/ssh-keys'
import { createUser } from '@innkeeper/contract/users'
import { Secret, TOTP } from 'otpauth'
import { afterEach, expect, vi } from 'vitest'
import { type House, test as inHouse, type Person, password } from '../testing/house.ts'
import { MailServer } from '../testing/mail-server.ts'

const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILz6rkDKeLiCyOZhYyDaRHq7BPGwIzS2/0AgVkYp7m1s mara@desk'

interface Scene {
  readonly house: House
  readonly admin: Person
  readonly person: Person
  /** One that both may see. */
  readonly server: string
}

/** What people do, by the mail that it brings to the person, or to somebody who has no account yet. */
const occasions: Record<MailKind, (scene: Scene) => Promise<unknown>> = {
  invite: ({ house, admin }) =>
    house.send(createInvite, { body: { email: 'new@example.org' } }, admin, { host: 'evil.example' }),
  accountCreation: ({ house, admin }) => {
    const body = { username: 'newcomer', email: 'new@example.org', password: 'long enough' }
    return house.send(createUser, { body }, admin)
  },
  async emailConfirm({ house, admin }) {
    const key = 'panel.registrationEnabled'
    await house.send(putSetting, { params: { key }, body: { value: true } }, admin)
    const body = { username: 'newcomer', email: 'new@example.org', password: 'long enough' }
    await house.send(register, { body }, undefined, { 'accept-language': 'de' })
  },
  async addedToServer({ house, admin, person }) {
    const id = await house.server({ name: 'arena' })
    await house.send(putServerUser, { params: { id, email: person.email }, body: { startServer: true } }, admin)
  },
  removedFromServer: ({ house, admin, person, server: id }) =>
    house.send(deleteServerUser, { params: { id, email: person.email } }, admin),
  deletedServer: ({ house, admin, server: id }) => house.send(deleteServer, { params: { id }, query: {} }, admin),
  passwordChanged: ({ house, person }) =>
    house.send(putSelf, { body: { password, newPassword: 'another one' } }, person),
  emailChanged: ({ house, person }) => house.send(putSelf, { body: { password, email: 'moved@example.org' } }, person),
  otpEnabled: ({ house, person }) => enrol(house, person),
  async otpDisabled({ house, person }) {
    const [code = ''] = await enrol(house, person)
    await house.send(disableOtp, { params: { token: code } }, person)
  },
  async otpWrongCodes({ house, person }) {
    await enrol(house, person)
    for (let at = 0; at < limits.otpWrongToMail; at++) await wrongCode(house, person)
  },
  async otpLocked({ house, person }) {
    await enrol(house, person)
    const wrong_codes = limits.otpWrongToLock - 1
    await house.db.updateTable('two_factor').set({ wrong_codes }).where('user_id', '=', person.id).execute()
    await wrongCode(house, person)
  },
  oauthCreated: ({ house, person, server: id }) =>
    house.send(createServerClient, { params: { id }, body: { name: 'backup' } }, person),
  async oauthDeleted({ house, person }) {
    const { answer } = await house.send(createAccountClient, { body: { name: 'backup' } }, person)
    await house.send(deleteAccountClient, { params: { id: answer.id } }, person)
  },
  sshKeyAdded: ({ house, person }) => house.send(addSshKey, { body: { key: sshKey, password } }, person),
  async accessRemoved({ house, person }) {
    await house.send(addSshKey, { body: { key: sshKey, password } }, person)
    await house.send(createAccountClient, { body: { name: 'backup' } }, person)
    const body = { password, newPassword: 'another one', removeSshKeys: true, removeClients: true }
    await house.send(putSelf, { body }, person)
  },
  passwordReset: ({ house, person }) =>
    house.send(forgotPassword, { body: { email: person.email } }, undefined, { host: 'evil.example' }),
}

const wrongCode = (house: House, person: Person) => house.send(disableOtp, { params: { token: '000000' } }, person)

async function enrol(house: House, person: Person): Promise<readonly string[]> {
  const { secret } = (await house.send(startOtp, {}, person)).answer
  const token = TOTP.generate({ secret: Secret.fromBase32(secret) })
  return (await house.send(confirmOtp, { body: { token } }, person)).answer.recoveryCodes
}

const told: Record<MailKind, { readonly to?: string; readonly subject: string; readonly text: RegExp }> = {
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
  otpEnabled: { subject: 'Totrinnspålogging er på', text: /krever nå også en kode/ },
  otpDisabled: { subject: 'Totrinnspålogging er av', text: /krever ikke lenger en kode/ },
  otpWrongCodes: { subject: 'Feil koder for totrinnspålogging', text: /Den som skrev dem inn, kjenner passordet/ },
  otpLocked: { subject: 'Koder for totrinnspålogging godtas ikke lenger', text: /gjenopprettingskode/ },
  oauthCreated: {
    subject: 'En OAuth2-klient er opprettet',
    text: /OAuth2-klienten backup .*\n\nDen gjelder serveren lobby\./,
  },
  oauthDeleted: { subject: 'En OAuth2-klient er slettet', text: /OAuth2-klienten backup / },
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
  'the mail %s comes, in the language of its reader, when that happens',
  async (kind, { house }) => {
    const smtp = await MailServer.start()
    open.push(smtp)
    const [admin, person] = [await house.admin(), await house.person()]
    const server = await house.server({ name: 'lobby' })
    await house.give(person.id, server, ['startServer'])
    const settings = {
      'panel.settings.masterUrl': 'https://panel.example.org',
      'panel.settings.companyName': 'Northwind',
      'panel.email.provider': 'smtp',
      'panel.email.host': `smtp://127.0.0.1:${smtp.port}`,
      'panel.email.from': 'panel@example.org',
    } as const
    await house.send(postSettings, { body: settings }, admin)
    const choose = (who: Person, value: string) =>
      house.send(putUserSetting, { params: { key: languageSetting }, body: { value } }, who)
    await choose(admin, 'de_DE')
    await choose(person, 'no_NO')

    await occasions[kind]({ house, admin, person, server })

    const { to = person.email, subject, text } = told[kind]
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
