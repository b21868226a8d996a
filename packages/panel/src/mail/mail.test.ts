import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { register } from '@innkeeper/contract/accounts/sign-up'
import { editUser } from '@innkeeper/contract/accounts/users'
import { deleteMail, listMail, mailKinds, retryMail } from '@innkeeper/contract/alerts/mail'
import { postSettings, type SettingValues, sendTestMail } from '@innkeeper/contract/settings/settings'
import pino from 'pino'
import { describe, expect, vi } from 'vitest'
import { DatabaseNotAvailable } from '../database/errors.ts'
import { settingsService } from '../settings/settings.ts'
import { MailServer } from '../testing/mail-server.ts'
import { test as inHouse, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { mailService } from './mail.ts'
import { createMailer, type SendMail } from './mailer.ts'
import { defaultProviderUrls } from './providers.ts'
import { queuedMails } from './queued-mails.ts'
import { maxMailsPerRecipient, maxMailsPerSender } from './rate-limit.ts'
import { mailLeaseMs, mailWorker, retryDelaysMs } from './worker.ts'

const master = 'https://panel.example.org'
const log = pino({ level: 'silent' })
const facts = {
  email: 'ada@example.org',
  token: 'secret-token',
  until: '2100-01-01T00:00:00.000Z',
  by: 'grace',
  server: 'lobby',
  serverId: '00c0ffee',
  username: 'ada',
  newEmail: 'new@example.org',
  client: 'backup',
}

const test = inHouse.extend<{ smtp: MailServer; admin: TestUser }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  smtp: async ({}, use) => {
    const server = await MailServer.start()
    await use(server)
    await server.stop()
  },
  admin: async ({ testPanel }, use) => {
    await use(await testPanel.admin())
  },
})

async function set(testPanel: TestPanel, admin: TestUser, values: Partial<SettingValues>): Promise<void> {
  const body = { 'panel.settings.masterUrl': master, 'panel.email.from': 'panel@example.org', ...values }
  expect((await testPanel.send(postSettings, { body }, admin)).status).toBe(204)
}

const smtpAt = (host: string, more: Partial<SettingValues> = {}): Partial<SettingValues> => ({
  'panel.email.provider': 'smtp',
  'panel.email.host': host,
  ...more,
})

/** The mail services of a second panel on the same database. */
function secondPanel(testPanel: TestPanel, now = Date.now) {
  const settings = settingsService({ db: testPanel.db, masterUrl: undefined, log, now })
  const post = createMailer({ settings, services: defaultProviderUrls, now })
  const worker = mailWorker({ db: testPanel.db, post, log, now })
  const mail = mailService({ db: testPanel.db, settings, post, wake: () => undefined, log, now })
  return { mail, queued: queuedMails({ db: testPanel.db, wake: () => undefined, now }), worker, post }
}

describe('an SMTP server', () => {
  test('receives every kind of mail over STARTTLS with authentication', async ({ testPanel, smtp, admin }) => {
    const login = { 'panel.email.username': 'panel', 'panel.email.password': 'right' }
    await set(testPanel, admin, {
      ...smtpAt(`127.0.0.1:${smtp.port}`, login),
      'panel.settings.companyName': 'Nørthwind',
    })
    const { mail, worker } = secondPanel(testPanel)
    for (const kind of mailKinds) await mail.queue(testPanel.db, kind, { to: 'ada@example.org' }, facts)

    await worker.run()
    await vi.waitFor(() => expect(smtp.received).toHaveLength(mailKinds.length), 10_000)

    for (const got of smtp.received) {
      expect(got).toMatchObject({ from: 'panel@example.org', to: ['ada@example.org'], user: 'panel', isSecure: true })
      expect(got.headers['auto-submitted']).toBe('auto-generated')
      expect(got.text).toContain('Nørthwind')
      expect(got.html).toContain('<html lang="en-US" dir="ltr">')
    }
    expect(new Set(smtp.received.map(({ headers }) => headers.subject)).size).toBe(mailKinds.length)
    const invite = smtp.received.find(({ text }) => text.includes('/auth/invite'))
    expect(invite?.text).toContain(`${master}/auth/invite?token=secret-token&email=ada%40example.org`)
  })

  test('receives mail without TLS if configured, and with implicit TLS', async ({ testPanel, admin }) => {
    const plain = await MailServer.start({ hideSTARTTLS: true })
    const tls = await MailServer.start({ secure: true })

    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${plain.port}`))
    const first = await testPanel.send(sendTestMail, { body: {} }, admin)
    await set(testPanel, admin, smtpAt(`smtps://127.0.0.1:${tls.port}`))
    const second = await testPanel.send(sendTestMail, { body: { to: 'other@example.org' } }, admin)

    expect(first.answer).toMatchObject({ delivered: true, answer: '250 queued as 4711' })
    expect(plain.received).toMatchObject([{ isSecure: false, to: [admin.email] }])
    expect(second.answer.delivered).toBe(true)
    expect(tls.received).toMatchObject([{ isSecure: true, to: ['other@example.org'] }])
    await Promise.all([plain.stop(), tls.stop()])
  })

  test('on another machine receives no password without TLS', async ({ testPanel, admin }) => {
    const server = await MailServer.start({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true }, '127.0.0.2')
    const login = { 'panel.email.username': 'panel', 'panel.email.password': 'right' }
    await set(testPanel, admin, smtpAt(`127.0.0.2:${server.port}`, login))

    const { answer } = await testPanel.send(sendTestMail, { body: {} }, admin)

    expect(answer.delivered).toBe(false)
    expect(answer.answer).toMatch(/TLS/i)
    expect(server.logins).toEqual([])
    await server.stop()
  })

  test('on another machine is rejected with a self-signed certificate', async ({ testPanel, admin }) => {
    const server = await MailServer.start({}, '127.0.0.2')
    await set(testPanel, admin, smtpAt(`127.0.0.2:${server.port}`))

    const { answer } = await testPanel.send(sendTestMail, { body: {} }, admin)

    expect(answer.delivered).toBe(false)
    expect(answer.answer).toMatch(/certificate/i)
    expect(server.received).toEqual([])
    await server.stop()
  })

  test('that rejects the password is quoted without it', async ({ testPanel, smtp, admin }) => {
    const login = { 'panel.email.username': 'panel', 'panel.email.password': 'not-the-right-one' }
    await set(testPanel, admin, smtpAt(`127.0.0.1:${smtp.port}`, login))

    const { answer } = await testPanel.send(sendTestMail, { body: {} }, admin)

    expect(answer.delivered).toBe(false)
    expect(answer.answer).toContain('Invalid username or password')
    expect(JSON.stringify(answer)).not.toContain('not-the-right-one')
  })

  test('that offers only unknown sign-in methods is named as the cause', async ({ testPanel, admin }) => {
    const server = createTcpServer((socket) => {
      const answers: [RegExp, string][] = [
        [/^EHLO/i, '250-mail\r\n250 AUTH SCRAM-SHA-256 SCRAM-SHA-1'],
        [/^AUTH/i, '504 unknown'],
        [/^QUIT/i, '221 bye'],
      ]
      socket.on('error', () => {})
      socket.write('220 mail\r\n')
      socket.on('data', (data) => {
        const answer = answers.find(([command]) => command.test(String(data)))?.[1] ?? '502 no'
        socket.write(`${answer}\r\n`)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const login = { 'panel.email.username': 'panel', 'panel.email.password': 'right' }
    await set(testPanel, admin, smtpAt(`127.0.0.1:${(server.address() as AddressInfo).port}`, login))

    const { answer } = await testPanel.send(sendTestMail, { body: {} }, admin)

    expect(answer.delivered).toBe(false)
    expect(answer.answer).toMatch(/no sign-in method .*CRAM-MD5, LOGIN, PLAIN.*504 unknown/)
    server.close()
  })

  test('that does not respond times out', async ({ testPanel, admin }) => {
    const silent = createTcpServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    await set(testPanel, admin, smtpAt(`127.0.0.1:${(silent.address() as AddressInfo).port}`))
    const { post } = secondPanel(testPanel)

    const draft = { id: randomUUID(), kind: 'test', to: 'ada@example.org', facts: {}, language: 'en_US' } as const
    const outcome = await post(draft, AbortSignal.timeout(200))

    expect(outcome).toMatchObject({ delivered: false, isFinal: false })
    silent.close()
  })
})

describe('a mail service', () => {
  interface ReceivedRequest {
    readonly url: string
    readonly authorization: string
    readonly type: string
    readonly body: string
  }

  async function service(answers: readonly [status: number, body: unknown][]) {
    const requests: ReceivedRequest[] = []
    const server = createServer((request: IncomingMessage, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const { authorization = '', 'content-type': type = '' } = request.headers
        requests.push({
          url: `${request.method} ${request.url}`,
          authorization,
          type,
          body: Buffer.concat(parts).toString(),
        })
        const [status, body] = answers[requests.length - 1] ?? [500, 'no more answers']
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() }
  }

  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

  test('Mailgun receives a form', async () => {
    const mailgun = await service([
      [200, { id: '<20260101.1@mg.example.org>', message: 'Queued. Thank you.' }],
      [401, { message: 'Forbidden' }],
    ])
    const testPanel = await TestPanel.start({ upstream: { mailgun: mailgun.url } })
    const admin = await testPanel.admin()
    await set(testPanel, admin, {
      'panel.email.provider': 'mailgun',
      'panel.email.domain': 'mg.example.org',
      'panel.email.key': 'key-0123456789',
      'panel.settings.companyName': 'North "wind"',
    })

    const done = await testPanel.send(sendTestMail, { body: { to: 'ada@example.org' } }, admin)
    const refused = await testPanel.send(sendTestMail, { body: {} }, admin)

    const [first] = mailgun.requests
    expect(first).toMatchObject({
      url: 'POST /v3/mg.example.org/messages',
      authorization: basic('api:key-0123456789'),
      type: 'application/x-www-form-urlencoded',
    })
    const form = Object.fromEntries(new URLSearchParams(first?.body))
    expect(form).toMatchObject({ from: '"North \\"wind\\"" <panel@example.org>', to: 'ada@example.org' })
    expect(form.subject).toContain('Test email')
    expect(form.text && form.html).toBeTruthy()
    expect(done.answer).toMatchObject({ delivered: true, answer: 'Queued. Thank you.' })
    expect(refused.answer).toMatchObject({ delivered: false, answer: 'The service answered 401: Forbidden' })
    await testPanel.stop()
    mailgun.stop()
  })

  test('Mailjet receives JSON, and may reject a mail with status 200', async () => {
    const error = { ErrorMessage: '"x" is not allowed', ErrorCode: 'send-0003', StatusCode: 400 }
    const mailjet = await service([
      [200, { Messages: [{ Status: 'success', To: [{ Email: 'ada@example.org', MessageID: 1 }] }] }],
      [200, { Messages: [{ Status: 'error', Errors: [error] }] }],
      [401, { StatusCode: 401, ErrorMessage: 'API key authentication/authorization failure' }],
    ])
    const testPanel = await TestPanel.start({ upstream: { mailjet: mailjet.url } })
    const admin = await testPanel.admin()
    await set(testPanel, admin, {
      'panel.email.provider': 'mailjet',
      'panel.email.domain': 'publickey',
      'panel.email.key': 'privatekey',
    })
    const send = async () => (await testPanel.send(sendTestMail, { body: { to: 'ada@example.org' } }, admin)).answer

    const answers = [await send(), await send(), await send()]

    expect(mailjet.requests[0]).toMatchObject({ url: 'POST /v3.1/send', authorization: basic('publickey:privatekey') })
    expect(JSON.parse(mailjet.requests[0]?.body ?? '')).toMatchObject({
      Messages: [{ From: { Email: 'panel@example.org', Name: 'Innkeeper' }, To: [{ Email: 'ada@example.org' }] }],
    })
    expect(answers.map(({ delivered }) => delivered)).toEqual([true, false, false])
    expect(answers.map(({ answer }) => answer)).toEqual([
      'Status: success',
      '"x" is not allowed',
      'The service answered 401: API key authentication/authorization failure',
    ])
    await testPanel.stop()
    mailjet.stop()
  })
})

describe('without a provider', () => {
  test('a test mail fails with ErrEmailNotConfigured, and nothing is queued', async ({ testPanel, admin }) => {
    const { mail } = secondPanel(testPanel)

    expect((await testPanel.send(sendTestMail, { body: {} }, admin)).refusal).toBe('ErrEmailNotConfigured')
    expect(await mail.queue(testPanel.db, 'otpEnabled', { to: 'ada@example.org' }, {})).toBe(false)
    expect((await testPanel.send(listMail, {} as never, admin)).answer.paging.total).toBe(0)
  })

  test('the missing setting is named', async ({ testPanel, admin }) => {
    await set(testPanel, admin, { 'panel.email.provider': 'smtp' })

    const { refusal, metadata } = await testPanel.send(sendTestMail, { body: {} }, admin)

    expect([refusal, metadata.setting]).toEqual(['ErrSettingNotConfigured', 'panel.email.host'])
  })
})

describe('the queue', () => {
  test('a mail sent during a database outage is recorded as sent afterwards', async ({ testPanel, smtp, admin }) => {
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    const { mail } = secondPanel(testPanel)
    await testPanel.panel.close()
    await mail.queue(testPanel.db, 'otpEnabled', { to: 'ada@example.org' }, {})
    let fails = 0
    const failing = new Proxy(testPanel.db, {
      get(db, key) {
        if (key === 'updateTable' && fails-- > 0) throw new DatabaseNotAvailable('gone')
        const value: unknown = Reflect.get(db, key)
        return typeof value === 'function' ? value.bind(db) : value
      },
    })
    const sent: string[] = []
    const post: SendMail = async ({ to }) => {
      sent.push(to)
      fails = 1
      return { delivered: true, answer: '250 queued', isFinal: false }
    }

    await mailWorker({ db: failing, post, log, now: Date.now }).run()

    const rows = await testPanel.db.selectFrom('mails').select(['state', 'tries']).execute()
    expect([rows, sent, fails]).toEqual([[{ state: 'sent', tries: 1 }], ['ada@example.org'], -1])
  })

  test('two panels send each mail once', async ({ testPanel, smtp, admin }) => {
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    const [one, other] = [secondPanel(testPanel), secondPanel(testPanel)]
    await testPanel.panel.close()
    const users = Array.from({ length: 24 }, (_, at) => `person${at}@example.org`)
    for (const to of users) await one.mail.queue(testPanel.db, 'otpEnabled', { to }, {})

    await Promise.all([one.worker.run(), other.worker.run()])
    await vi.waitFor(() => expect(smtp.received.length).toBeGreaterThanOrEqual(users.length), 10_000)

    expect(smtp.received.map(({ to }) => to[0]).sort()).toEqual([...users].sort())
    const rows = await testPanel.db.selectFrom('mails').select(['state', 'facts', 'tries']).execute()
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
      new Set([JSON.stringify({ state: 'sent', facts: '{}', tries: 1 })]),
    )
  })

  test('an unavailable mail server delays no request; retries have increasing intervals, then the mail fails', async () => {
    let time = Date.parse('2026-01-01T00:00:00Z')
    const now = () => time
    const dead = await MailServer.start()
    const { port } = dead
    await dead.stop()
    const testPanel = await TestPanel.start()
    const admin = await testPanel.admin()
    await set(testPanel, admin, smtpAt(`127.0.0.1:${port}`))
    // The test panel uses the real clock: nothing is due there.
    await testPanel.panel.close()
    const { mail, queued, worker } = secondPanel(testPanel, now)
    await mail.queue(testPanel.db, 'otpEnabled', { to: 'ada@example.org' }, {})

    const results: unknown[] = []
    for (const pause of [...retryDelaysMs, 0]) {
      await worker.run()
      const {
        mail: [row],
      } = await queued.list({ page: 1, limit: 10 })
      results.push([row?.state, row?.tries, row?.nextTryAt && Date.parse(row.nextTryAt) - time])
      expect(row?.lastError).toMatch(/ECONNREFUSED|refused/)
      time += pause
    }

    expect(results).toEqual([
      ...retryDelaysMs.map((pause, at) => ['waiting', at + 1, pause]),
      ['failed', retryDelaysMs.length + 1, undefined],
    ])
    await testPanel.stop()
  })

  test('an administrator sees failed mails, and can retry and delete them', async ({ testPanel, smtp, admin }) => {
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    const row = { recipient: 'ada@example.org', recipient_key: 'ada@example.org', sender_id: null, language: 'en_US' }
    const failed = { ...row, kind: 'otpEnabled', facts: '{}', state: 'failed', tries: 6, created_at: 1, next_at: 1 }
    const [retriedId, deletedId] = [randomUUID(), randomUUID()]
    for (const id of [retriedId, deletedId]) {
      await testPanel.db
        .insertInto('mails')
        .values({ ...failed, id, ended_at: 1, lease: '', last_error: 'refused' })
        .execute()
    }

    const before = await testPanel.send(listMail, { query: { state: 'failed' } }, admin)
    expect(before.answer).toMatchObject({ counts: { failed: 2, sent: 0 }, paging: { total: 2 } })
    expect(before.answer.mail[0]).toMatchObject({ lastError: 'refused', to: 'ada@example.org' })
    expect(JSON.stringify(before.answer)).not.toContain('facts')

    expect((await testPanel.send(deleteMail, { params: { id: deletedId } }, admin)).status).toBe(204)
    expect((await testPanel.send(retryMail, { params: { id: retriedId } }, admin)).status).toBe(204)
    await vi.waitFor(() => expect(smtp.received).toHaveLength(1), 10_000)
    expect((await testPanel.send(retryMail, { params: { id: deletedId } }, admin)).status).toBe(404)
  })

  test('a failed mail keeps no link, and cannot be retried without one', async ({ testPanel, admin }) => {
    // Nothing listens on this port.
    await set(testPanel, admin, smtpAt('smtp://127.0.0.1:1'))
    const id = randomUUID()
    const row = { recipient: 'ada@example.org', recipient_key: 'ada@example.org', sender_id: null, language: 'en_US' }
    const lastTry = { state: 'waiting', tries: retryDelaysMs.length, created_at: Date.now(), next_at: 0 }
    const facts = JSON.stringify({ token: 'secret-token', email: 'ada@example.org' })
    await testPanel.db
      .insertInto('mails')
      .values({ ...row, ...lastTry, id, kind: 'invite', facts, ended_at: null, lease: '', last_error: '' })
      .execute()

    await secondPanel(testPanel).worker.run()

    const kept = await testPanel.db.selectFrom('mails').select(['state', 'facts']).executeTakeFirst()
    expect(kept).toEqual({ state: 'failed', facts: '{}' })
    expect((await testPanel.send(retryMail, { params: { id } }, admin)).refusal).toBe('ErrMailWithoutLink')
  })

  test('rejects a recipient that would be two recipients or a header', async ({ testPanel, smtp, admin }) => {
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    const { mail, worker } = secondPanel(testPanel)

    for (const to of ['a@example.org,b@example.org', 'a@example.org\r\nBcc: b@example.org', '<a@example.org>']) {
      expect(await mail.queue(testPanel.db, 'otpEnabled', { to }, {})).toBe(false)
    }
    await mail.queue(
      testPanel.db,
      'deletedServer',
      { to: 'ada@example.org' },
      { server: 'x\r\nBcc: b@example.org\r\n\r\nhi' },
    )
    await worker.run()
    await vi.waitFor(() => expect(smtp.received).toHaveLength(1), 10_000)

    expect(smtp.received[0]?.to).toEqual(['ada@example.org'])
    expect(smtp.received[0]?.headers.bcc).toBeUndefined()
    expect(smtp.received[0]?.headers.subject).toBe('The server x Bcc: b@example.org hi was deleted')
  })

  test('an account with an invalid address can be changed; its mail is queued as failed', async ({
    testPanel,
    smtp,
    admin,
  }) => {
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    const user = await testPanel.createUser()
    const nowhere = { email: 'nowhere', email_key: 'nowhere' }
    await testPanel.db.updateTable('users').set(nowhere).where('id', '=', user.id).execute()

    const body = { username: user.username, password: 'another one' }
    expect((await testPanel.send(editUser, { params: { id: user.id }, body }, admin)).status).toBe(204)

    const { answer } = await testPanel.send(listMail, { query: { state: 'failed' } }, admin)
    const failed = { kind: 'passwordChanged', to: 'nowhere', lastError: 'The address of the recipient is not valid.' }
    expect(answer.mail).toMatchObject([failed])
    expect(answer.counts).toMatchObject({ waiting: 0, failed: 1 })
  })

  test('an invalid mail fails at its first attempt with the reason, and does not block the queue', async ({
    testPanel,
    smtp,
    admin,
  }) => {
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    const { mail, worker } = secondPanel(testPanel)
    await testPanel.panel.close()
    const past = '2020-01-01T00:00:00.000Z'
    const bad = [
      { recipient: 'a@example.org, b@example.org', kind: 'otpEnabled', facts: '{}' },
      { recipient: 'b@example.org', kind: 'otpEnabled', facts: 'not JSON' },
      { recipient: 'c@example.org', kind: 'passwordReset', facts: JSON.stringify({ token: 'x', until: past }) },
    ]
    for (const [at, row] of bad.entries()) {
      const rest = {
        sender_id: null,
        language: 'en_US',
        state: 'waiting',
        tries: 0,
        created_at: Date.now() - 60_000 + at,
        next_at: at,
      }
      await testPanel.db
        .insertInto('mails')
        .values({
          ...row,
          ...rest,
          id: randomUUID(),
          recipient_key: row.recipient,
          ended_at: null,
          lease: '',
          last_error: '',
        })
        .execute()
    }
    await mail.queue(testPanel.db, 'otpEnabled', { to: 'ada@example.org' }, {})

    await worker.run()

    const rows = await testPanel.db
      .selectFrom('mails')
      .select(['state', 'tries', 'last_error'])
      .orderBy('created_at')
      .execute()
    expect(rows).toEqual([
      { state: 'failed', tries: 1, last_error: 'The address of the recipient is not valid.' },
      { state: 'failed', tries: 1, last_error: 'Its data is damaged.' },
      { state: 'failed', tries: 1, last_error: 'Its link has expired.' },
      { state: 'sent', tries: 1, last_error: '' },
    ])
    expect(smtp.received.map(({ to }) => to)).toEqual([['ada@example.org']])
  })

  test('a mail server that does not respond delays no request', async ({ testPanel, admin }) => {
    const connected = Promise.withResolvers<void>()
    const silent = createTcpServer(() => connected.resolve()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    await set(testPanel, admin, smtpAt(`127.0.0.1:${(silent.address() as AddressInfo).port}`))
    await testPanel.send(postSettings, { body: { 'panel.registrationEnabled': true } }, admin)
    const who = { username: 'ada', email: 'ada@example.org', password: 'long enough' }

    const { status } = await testPanel.send(register, { body: who })
    await connected.promise

    expect(status).toBe(200)
    const { answer } = await testPanel.send(listMail, {} as never, admin)
    expect(answer.mail).toMatchObject([{ kind: 'emailConfirm', state: 'sending', to: 'ada@example.org' }])
    // It is canceled when the panel closes.
    await testPanel.panel.close()
    silent.close()
  })

  test('is for administrators only, because it shows invited users and password resets', async ({
    testPanel,
    admin,
  }) => {
    const clerk = await testPanel.createUser({ scopes: ['panel.settings'] })

    const { status, refusal, metadata } = await testPanel.send(listMail, { query: {} }, clerk)

    expect([status, refusal, metadata]).toEqual([403, 'ErrMissingScope', { scope: 'servers.admin' }])
    expect((await testPanel.send(listMail, { query: {} }, admin)).status).toBe(200)
  })

  test('has a rate limit per recipient and per sender', async ({ testPanel, smtp, admin }) => {
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    const { mail } = secondPanel(testPanel)
    const queue = (to: string, by?: number) => mail.queue(testPanel.db, 'otpEnabled', { to, by }, {})

    const claims: boolean[] = []
    for (let at = 0; at <= maxMailsPerRecipient; at++)
      claims.push(await queue(at % 2 ? 'ada@example.org' : 'ADA@example.org'))

    expect(claims.filter(Boolean)).toHaveLength(maxMailsPerRecipient)
    expect(claims.at(-1)).toBe(false)
    for (let at = 0; at < maxMailsPerSender; at++) await queue(`p${at}@example.org`, 7)
    expect(await queue('another@example.org', 7)).toBe(false)
    expect(await queue('another@example.org', 8)).toBe(true)

    const { answer } = await testPanel.send(listMail, { query: { state: 'failed', limit: 100 } }, admin)
    const lastError = 'Not sent: the limit of mails per hour was exceeded.'
    expect(answer.mail.map(({ to }) => to.toLowerCase()).toSorted()).toEqual(['ada@example.org', 'another@example.org'])
    expect(answer.mail).toMatchObject([{ lastError }, { lastError }])
  })

  test('mails over the rate limit do not fill the queue, and keep no links', async ({ testPanel, smtp, admin }) => {
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    const { mail } = secondPanel(testPanel)
    const queue = (to: string, by?: number) => mail.queue(testPanel.db, 'otpEnabled', { to, by }, {})

    for (let at = 0; at < maxMailsPerRecipient + maxMailsPerSender + 5; at++) await queue('ada@example.org')

    const { counts } = (await testPanel.send(listMail, { query: {} }, admin)).answer
    expect(counts.failed).toBe(maxMailsPerSender)
    await testPanel.db.updateTable('mails').set({ created_at: 0 }).where('state', '!=', 'failed').execute()
    expect(await queue('ada@example.org')).toBe(true)
  })

  test('a mail of a crashed panel is sent by another panel', async () => {
    let time = Date.now()
    const smtp = await MailServer.start()
    const testPanel = await TestPanel.start()
    const admin = await testPanel.admin()
    await set(testPanel, admin, smtpAt(`smtp://127.0.0.1:${smtp.port}`))
    await testPanel.panel.close()
    const { mail, worker } = secondPanel(testPanel, () => time)
    await mail.queue(testPanel.db, 'otpEnabled', { to: 'ada@example.org' }, {})
    await testPanel.db
      .updateTable('mails')
      .set({ state: 'sending', lease: 'of the dead', next_at: time + mailLeaseMs })
      .execute()

    await worker.run()
    expect(smtp.received).toHaveLength(0)
    time += mailLeaseMs
    await worker.run()

    expect(smtp.received).toHaveLength(1)
    await testPanel.stop()
    await smtp.stop()
  })
})
