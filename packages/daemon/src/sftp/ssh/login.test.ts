import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { connectionLimits } from '@innkeeper/contract/http/connection-limiter'
import type ssh2 from 'ssh2'
import { describe, expect } from 'vitest'
import { otherServer, SftpHost, test, theServer, toPromise } from '../../testing/sftp-host.ts'
import { maxLoginAttempts } from './login.ts'

/** A key pair made by OpenSSH, with the public key in wire format. */
function keyPair(host: SftpHost, ...type: readonly string[]): { path: string; wire: string } {
  const path = host.own(`key-${type.join('-')}`)
  execFileSync('ssh-keygen', ['-q', '-N', '', '-t', ...type, '-f', path])
  return { path, wire: readFileSync(`${path}.pub`, 'utf8').split(' ')[1] ?? '' }
}

const writing = { [theServer]: ['sftpServer', 'putServerFiles'] as const }
const permissions = () => ({ [theServer]: [...writing[theServer]] })

describe('a login', () => {
  test.for(['#', '|', '%7C'])('has user and server separated by %s', async (separator, { host }) => {
    const { email } = host.panel.addUser({ permissions: permissions() })

    await using session = await host.connect({ username: `${email}${separator}${theServer}` })

    expect(await session.list('/')).toEqual([])
  })

  test('with a wrong password is refused, and attempts are limited', async ({ host, user }) => {
    const { code, out } = await host.sftp(user, ['pwd'], {
      password: 'wrong',
      options: ['NumberOfPasswordPrompts=50', 'LogLevel=INFO'],
    })

    expect([code, out], out).toEqual([255, expect.stringContaining('Too many authentication failures')])
    expect(host.panel.logins.length).toBeLessThanOrEqual(maxLoginAttempts)
    expect(host.panel.logins.length).toBeGreaterThan(1)
    expect(host.server.sessions).toBe(0)
  })

  test('that the panel rate-limits ends the connection', async ({ host, user }) => {
    host.panel.isThrottling = true

    const { out } = await host.sftp(user, ['pwd'], { options: ['LogLevel=INFO'] })

    expect(out).toContain('Too many failed sign-ins of this user or address')
    expect(host.panel.logins).toHaveLength(1)
  })

  test('to a suspended server ends with its reason', async ({ host, user }) => {
    host.panel.suspendedFor = 'The invoice of May is not paid.'

    const { out } = await host.sftp(user, ['pwd'], { options: ['LogLevel=INFO'] })

    expect(out).toContain('The server is suspended: The invoice of May is not paid.')
  })

  test('is not possible while the panel is unreachable', async ({ host, user }) => {
    host.panel.isAway = true

    await expect(host.connect({ username: user })).rejects.toThrow()
  })

  test.for([['ed25519'], ['ecdsa', '-b', '384'], ['rsa', '-b', '2048']])(
    'succeeds with a key of %j and a valid signature',
    async (type, { host }) => {
      const { path, wire } = keyPair(host, ...type)
      const { email } = host.panel.addUser({ permissions: permissions(), keys: [wire] })

      const options = [`IdentityFile=${path}`, 'IdentitiesOnly=yes', 'PreferredAuthentications=publickey']
      const { code, out } = await host.sftp(`${email}#${theServer}`, ['pwd'], { options })

      expect(code, out).toBe(0)
      const signed = host.panel.logins.map(({ with: shown }) => shown.method === 'key' && shown.isSigned)
      expect(signed).toEqual([false, true])
    },
  )

  test("with another user's key is refused, before it signs", async ({ host, user }) => {
    const { path } = keyPair(host, 'ed25519')

    const options = [`IdentityFile=${path}`, 'IdentitiesOnly=yes', 'PreferredAuthentications=publickey']
    expect((await host.sftp(user, ['pwd'], { options })).code).toBe(255)
    expect(host.panel.logins.every(({ with: shown }) => shown.method === 'key' && !shown.isSigned)).toBe(true)
  })
})

describe('with two-factor authentication', () => {
  test('a password alone is not sufficient', async ({ host }) => {
    const { email } = host.panel.addUser({ permissions: permissions(), code: '123456' })

    const { code } = await host.sftp(`${email}#${theServer}`, ['pwd'], {
      options: ['PreferredAuthentications=password'],
    })

    expect(code).toBe(255)
    expect(host.server.sessions).toBe(0)
  })

  test.for([
    ['password and code are asked one after the other', 'keyboard-interactive', ['Password: ', 'Code']],
    ['after the password only the code is asked', 'password,keyboard-interactive', ['Code']],
  ] as const)('%s', async ([, methods, asked], { host }) => {
    const { email } = host.panel.addUser({ permissions: permissions(), code: '123456' })
    const received: string[] = []

    await using session = await host.connect({
      username: `${email}#${theServer}`,
      authHandler: [...methods.split(',')] as ssh2.AuthenticationType[],
      answers: ({ prompt }) => {
        received.push(prompt)
        return prompt.startsWith('Code') ? '123456' : 'long enough'
      },
    })

    expect(received).toEqual(asked.map((text) => expect.stringContaining(text)))
    expect(await session.list('/')).toEqual([])
  })
})

test('a client whose codes were wrong can continue with the password', async ({ host, user }) => {
  await using session = await host.connect({
    username: user,
    password: 'long enough',
    authHandler: ['keyboard-interactive', 'password'],
    answers: () => 'wrong',
  })

  expect(await session.list('/')).toEqual([])
})

test('only SFTP is supported: no shell, no commands, no forwarding, no environment', async ({ host, user }) => {
  const shell = await host.sftp(user, [], { program: 'ssh' })
  await using session = await host.connect({ username: user })
  const { client } = session

  expect(shell.code).not.toBe(0)
  await expect(toPromise((done) => client.exec('id', done))).rejects.toThrow('Unable to exec')
  await expect(toPromise((done) => client.shell(done))).rejects.toThrow()
  await expect(toPromise((done) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', host.port, done))).rejects.toThrow()
  await expect(toPromise((done) => client.forwardIn('127.0.0.1', 0, done))).rejects.toThrow()
  await expect(toPromise((done) => client.subsys('netconf', done))).rejects.toThrow()
  expect(await session.list('/')).toEqual([])
})

test.for([
  ['ed25519', 'ssh-ed25519', 'sftp-host-key'],
  ['ecdsa', 'ecdsa-sha2-nistp256', 'sftp-host-key-ecdsa'],
] as const)(
  'the host key of type %s survives a restart, and only its user can read it',
  async ([type, algorithm, file], { host, user }) => {
    const scan = async () => {
      const { out } = await host.run('ssh-keyscan', ['-t', type, '-p', String(host.port), '127.0.0.1'])
      return new RegExp(`${algorithm} \\S+`).exec(out)?.[0]
    }
    const before = await scan()

    await host.restart()

    expect(before).toBeDefined()
    expect(await scan()).toBe(before)
    expect((await stat(host.own(file))).mode & 0o777).toBe(0o600)
    expect((await host.sftp(user, ['pwd'], { options: [`HostKeyAlgorithms=${algorithm}`] })).code).toBe(0)
  },
)

test('outdated ciphers, signatures and key exchanges are not offered', async ({ host, user }) => {
  const old = [
    ['Ciphers=aes128-cbc'],
    ['MACs=hmac-sha1', 'Ciphers=aes128-ctr'],
    ['KexAlgorithms=diffie-hellman-group14-sha1'],
    ['HostKeyAlgorithms=ssh-rsa'],
  ]
  // The sftp program may end by a signal when ssh ended first.
  for (const options of old) {
    expect((await host.sftp(user, [], { options, program: 'ssh' })).code, options[0]).toBe(255)
  }
  expect(host.panel.logins).toEqual([])

  expect((await host.sftp(user, ['pwd'], { options: ['MACs=hmac-sha2-256', 'Ciphers=aes128-ctr'] })).code).toBe(0)
})

describe('sessions are limited', () => {
  const { perOwner: maxSessionsPerUser } = connectionLimits().sftp

  test('per user', async ({ host, user }) => {
    const sessions = await Promise.all(
      Array.from({ length: maxSessionsPerUser }, () => host.connect({ username: user })),
    )

    const { out } = await host.sftp(user, ['pwd'], { options: ['LogLevel=INFO'] })
    expect(out).toContain(`Too many connections: a user can have ${maxSessionsPerUser} at the same time`)
    await sessions.pop()?.[Symbol.asyncDispose]()
    await expect.poll(() => host.server.sessions).toBe(maxSessionsPerUser - 1)
    await using another = await host.connect({ username: user })
    expect(another).toBeDefined()
    await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()))
  })

  test.each([
    ['one address', () => '127.0.0.1', 4],
    ['many addresses', (index: number) => `127.0.1.${index}`, 12],
  ])('connections of %s that do not log in make room for others', async (_, getAddress, most) => {
    await using host = await SftpHost.start({ connectionLimits: { total: 12, perAddress: 4, perOwner: 32 } })
    const user = host.userWithFiles()
    await using session = await host.connect({ username: user })
    const sockets = Array.from({ length: 30 }, (_, index) =>
      connect({ port: host.port, host: '127.0.0.1', localAddress: getAddress(index) }).on('error', () => {}),
    )
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))

    await using another = await host.connect({ username: user })

    expect(await another.list('/')).toEqual([])
    expect(await session.list('/')).toEqual([])
    expect(host.server.connections).toBeLessThanOrEqual(most + 2)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => host.server.connections, { timeout: 10_000 }).toBe(2)
  })

  test('in the time for the login, from the first moment', async () => {
    await using host = await SftpHost.start({ loginTimeoutMs: 200 })
    const socket = connect(host.port, '127.0.0.1').resume()

    await once(socket, 'close')

    await expect.poll(() => host.server.connections, { timeout: 10_000 }).toBe(0)
  })
})

test('another server cannot be reached, by name or any path', async ({ host }) => {
  const { email } = host.panel.addUser({ permissions: permissions() })
  await mkdir(host.own('servers', otherServer, 'secret'))
  await expect(host.connect({ username: `${email}#${otherServer}` })).rejects.toThrow()

  await using session = await host.connect({ username: `${email}#${theServer}` })
  const files = await session.files()

  for (const path of [`/../${otherServer}`, `../../servers/${otherServer}/secret`, host.own('servers', otherServer)]) {
    await expect(toPromise((done) => files.stat(path, done))).rejects.toThrow('not found')
  }
})
