import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { deleteServerUser, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { addSshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { createUser, deleteUser, editUser } from '@innkeeper/contract/accounts/users'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { createServer as createGameServer } from '@innkeeper/contract/servers/new-server'
import { test as base, expect, vi } from 'vitest'
import { runWithInput, sftp } from './testing/sftp-client.ts'
import { admin, TestInstallation } from './testing/test-installation.ts'

/** A server of the administrator, and its SFTP user name. */
async function readServer(installation: TestInstallation) {
  const definition = { name: 'lobby', node: 0, type: 'test', run: {}, data: {} }
  const { id } = await installation.send(createGameServer, { body: definition } as never)
  return { id, user: getSftpUser(admin.email, id), folder: join(installation.folder, 'data', 'servers', id) }
}

const test = base.extend<{ installation: TestInstallation }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  installation: async ({}, use) => {
    await using installation = await TestInstallation.start()
    await use(installation)
  },
})

test('SFTP works with the password of the panel, and with a key of the account', async ({ installation }) => {
  const { user, folder } = await readServer(installation)
  const content = randomBytes(300_000)
  await writeFile(join(installation.folder, 'world.dat'), content)

  const byPassword = await sftp(installation, user, `put ${join(installation.folder, 'world.dat')} world.dat\n`)
  expect(byPassword.code, byPassword.out).toBe(0)
  expect((await readFile(join(folder, 'world.dat'))).equals(content)).toBe(true)

  await runWithInput(
    'ssh-keygen',
    ['-q', '-N', '', '-t', 'ed25519', '-f', join(installation.folder, 'key')],
    { PATH: '/usr/bin:/bin' },
    '',
  )
  const key = await readFile(join(installation.folder, 'key.pub'), 'utf8')
  await installation.send(addSshKey, { body: { key, password: admin.password } })
  const how = [
    `IdentityFile=${join(installation.folder, 'key')}`,
    'IdentitiesOnly=yes',
    'PreferredAuthentications=publickey',
  ]
  const byKey = await sftp(installation, user, `get world.dat ${join(installation.folder, 'back.dat')}\n`, how)
  expect(byKey.code, byKey.out).toBe(0)
  expect((await readFile(join(installation.folder, 'back.dat'))).equals(content)).toBe(true)

  const wrong = await sftp(installation, user, 'pwd\n', ['PreferredAuthentications=password'], 'wrong')
  expect(wrong.code).not.toBe(0)
  const { activity } = await installation.send(listActivity, { query: { action: 'server.sftp.login' } })
  expect(activity.map(({ result, from }) => [result, from])).toEqual([
    ['refused', '127.0.0.1'],
    ['done', '127.0.0.1'],
    ['done', '127.0.0.1'],
  ])
})

test.for(['a new password', 'the removal of the user from the server', 'the deletion of the user'])(
  'a session ends within five seconds of %s',
  async (end, { installation }) => {
    const { id } = await readServer(installation)
    const person = { username: 'guest', email: 'guest@example.org', password: 'a lantern at night' }
    const { id: userId } = await installation.send(createUser, { body: person })
    const params = { id, email: person.email }
    await installation.send(putServerUser, { params, body: { sftpServer: true, viewServerFiles: true } })
    // The client waits longer than that, and fails at its next command.
    const session = sftp(installation, getSftpUser(person.email, id), 'pwd\n!sleep 5\nls\n', [], person.password)
    const logins = async () =>
      (await installation.send(listActivity, { query: { action: 'server.sftp.login' } })).activity
    await expect.poll(logins, { timeout: 4_000 }).toHaveLength(1)

    if (end === 'a new password')
      await installation.send(editUser, { params: { id: userId }, body: { password: 'another lantern' } })
    else if (end === 'the deletion of the user') await installation.send(deleteUser, { params: { id: userId } })
    else await installation.send(deleteServerUser, { params })

    const { out } = await session
    expect(out).toContain('Remote working directory: /')
    expect(out).toContain('Received disconnect')
  },
)

test('a port in use is reported, and everything else runs', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0

  await using installation = await TestInstallation.start(port)

  await vi.waitFor(() =>
    expect(installation.output).toContain(`SFTP is not served: failed to listen on 127.0.0.1:${port}`),
  )
  expect((await installation.send(listActivity, { query: {} })).activity.length).toBeGreaterThan(0)
  other.close()
})

test('the keys of the node and the socket of the panel are only accessible to their user', async ({ installation }) => {
  const modes = await Promise.all(
    ['node-key.pem', 'sftp-host-key', 'sftp-host-key-ecdsa', 'run/panel.sock'].map(async (name) => {
      const { mode } = await stat(join(installation.folder, 'data', name))
      return (mode & 0o777).toString(8)
    }),
  )

  expect(modes).toEqual(['600', '600', '600', '600'])
})
