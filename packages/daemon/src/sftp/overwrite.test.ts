import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { ifExists } from '../fs/if-exists.ts'
import { RawSftp } from '../testing/raw-sftp.ts'
import { type SftpHost, test, theServer, toPromise, toVoidPromise } from '../testing/sftp-host.ts'
import { openFlags, requests, statuses } from './protocol/wire.ts'

const { read, write, create, truncate, append } = openFlags

/** Only root can mount a small disk to fill. */
const isRoot = process.getuid?.() === 0

/** What the trash keeps, by path. */
async function keptIn(host: SftpHost): Promise<Record<string, string>> {
  const trash = host.own('servers', '.trash', theServer)
  const kept: Record<string, string> = {}
  for (const { id } of await host.trash.of(theServer).list())
    for (const name of (await ifExists(readdir(join(trash, id)))) ?? [])
      kept[name] = await readFile(join(trash, id, name), 'utf8')
  return kept
}

async function rawSession(host: SftpHost, username: string) {
  const session = await host.connect({ username })
  const raw = await RawSftp.open(session)
  return {
    raw,
    open: async (path: string, flags: number) => {
      const answer = await raw.ask(requests.open, (to) => to.string(path).u32(flags).u32(0))
      expect(answer.type, answer.rest.toString()).toBe(102)
      return answer.rest.subarray(4)
    },
    write: (handle: Buffer, offset: number, text: string) =>
      raw.status(requests.write, (to) => to.string(handle).u64(offset).string(text)),
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  }
}

describe('an existing file that is opened with TRUNC, but without CREAT, as sshfs does,', () => {
  test.for([true, false])('is emptied and opened (with a trash: %s)', async (keepsFiles, { host, user }) => {
    host.keepsFiles = keepsFiles
    await writeFile(host.inside('cfg.yml'), 'one', { mode: 0o640 })
    await using session = await rawSession(host, user)

    const handle = await session.open('/cfg.yml', write | truncate)
    const { size, mode } = await stat(host.inside('cfg.yml'))
    await session.write(handle, 0, 'two')
    await session.raw.status(requests.close, (to) => to.string(handle))

    expect([size, mode & 0o777]).toEqual([0, 0o640])
    expect(await readdir(host.inside())).toEqual(['cfg.yml'])
    expect(await readFile(host.inside('cfg.yml'), 'utf8')).toBe('two')
    expect(await keptIn(host)).toEqual(keepsFiles ? { 'cfg.yml': 'one' } : {})
  })

  test('does not appear when it is missing', async ({ host, user }) => {
    await using session = await rawSession(host, user)

    const status = await session.raw.status(requests.open, (to) =>
      to
        .string('/missing')
        .u32(write | truncate)
        .u32(0),
    )

    expect([status, await readdir(host.inside())]).toEqual([statuses.noSuchFile, []])
  })

  test('keeps its other names, and other handles keep it', async ({ host, user }) => {
    await writeFile(host.inside('a'), 'old')
    await link(host.inside('a'), host.inside('b'))
    await writeFile(host.inside('c'), 'old')
    await using session = await rawSession(host, user)

    const other = await session.open('/c', read | write)
    for (const path of ['/a', '/c']) await session.write(await session.open(path, write | truncate), 0, 'new')
    await session.write(other, 3, 'er')

    expect(await readFile(host.inside('b'), 'utf8')).toBe('new')
    expect(await readFile(host.inside('c'), 'utf8')).toBe('newer')
    expect(await keptIn(host)).toEqual({ a: 'old', c: 'old' })
  })
})

test('what scp overwrites goes to the trash, and what is appended or changed in parts does not', async ({
  host,
  user,
}) => {
  await writeFile(host.own('new.txt'), 'new')
  for (const name of ['scp.txt', 'appended', 'resumed', 'parts', 'emptied', 'cut'])
    await writeFile(host.inside(name), 'former', { mode: 0o600 })
  const { code, out } = await host.run('scp', [
    ...['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', `User=${user}`],
    ...['-P', String(host.port), host.own('new.txt'), '127.0.0.1:scp.txt'],
  ])
  await using session = await rawSession(host, user)

  await session.write(await session.open('/appended', write | append | create), 0, '!')
  await session.write(await session.open('/resumed', write | create), 6, '!')
  await session.write(await session.open('/parts', read | write | create), 0, 'F')
  const cut = await session.open('/cut', read | write)
  await session.raw.status(requests.fsetstat, (to) => to.string(cut).u32(1).u64(0))
  await session.raw.status(requests.setstat, (to) => to.string('/emptied').u32(1).u64(0))

  expect(code, out).toBe(0)
  const { mode } = await stat(host.inside('scp.txt'))
  expect([await readFile(host.inside('scp.txt'), 'utf8'), mode & 0o777]).toEqual(['new', 0o600])
  expect(await readFile(host.inside('resumed'), 'utf8')).toBe('former!')
  expect(await readFile(host.inside('emptied'), 'utf8')).toBe('')
  expect(await keptIn(host)).toEqual({ 'scp.txt': 'former', cut: 'former', emptied: 'former' })
})

describe('when a new content does not fit, the file keeps its former one', () => {
  const uploads = ['sftp', 'scp'] as const
  async function upload(host: SftpHost, user: string, program: string): Promise<string> {
    await writeFile(host.own('large'), randomBytes(6_000_000))
    if (program === 'sftp') return (await host.sftp(user, [`put ${host.own('large')} world.dat`])).out
    const options = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', `User=${user}`]
    return (await host.run('scp', [...options, '-P', String(host.port), host.own('large'), '127.0.0.1:world.dat'])).out
  }

  test.for(uploads.flatMap((program) => [true, false].map((keepsFiles) => [program, keepsFiles] as const)))(
    'beyond the limit of the server, with %s (with a trash: %s)',
    async ([program, keepsFiles], { host, user }) => {
      host.keepsFiles = keepsFiles
      host.limitBytes = 4 * 1024 ** 2
      host.diskLimit.measured(1024 ** 2)
      await writeFile(host.inside('world.dat'), 'former')

      const out = await upload(host, user, program)

      expect(out).toMatch(/Failure|disk space/)
      expect(await readFile(host.inside('world.dat'), 'utf8')).toBe('former')
      await expect.poll(() => readdir(host.inside())).toEqual(['world.dat'])
      await expect.poll(() => keptIn(host)).toEqual({})
    },
  )

  test.runIf(isRoot).for(uploads)('on a full disk, with %s', async (program, { host, user }) => {
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0755', 'tmpfs', host.own('servers')])
    expect(mount.status, String(mount.stderr)).toBe(0)
    try {
      await mkdir(host.inside())
      await writeFile(host.inside('world.dat'), 'former')

      const out = await upload(host, user, program)

      expect(out).toMatch(/Failure|disk is full/)
      expect(await readFile(host.inside('world.dat'), 'utf8')).toBe('former')
      await expect.poll(() => readdir(host.inside())).toEqual(['world.dat'])
      await expect.poll(() => keptIn(host)).toEqual({})
    } finally {
      spawnSync('umount', ['-l', host.own('servers')])
    }
  })

  test.for(uploads)('but what replaces it needs no room for both, with %s', async (program, { host, user }) => {
    host.limitBytes = 9_000_000
    host.diskLimit.measured(8_000_000)
    await writeFile(host.inside('world.dat'), Buffer.alloc(6_500_000))

    const out = await upload(host, user, program)

    expect((await stat(host.inside('world.dat'))).size, out).toBe(6_000_000)
    // There is no room for it in the trash.
    await expect.poll(() => keptIn(host)).toEqual({})
    expect(await readdir(host.inside())).toEqual(['world.dat'])
  })

  test.runIf(isRoot)('and when no new file can be created', async ({ host, user }) => {
    const options = 'size=4m,nr_inodes=5,mode=0755'
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', host.own('servers')])
    expect(mount.status, String(mount.stderr)).toBe(0)
    try {
      await mkdir(host.inside())
      await writeFile(host.inside('world.dat'), 'former')
      for (const name of ['1', '2']) await writeFile(host.inside(name), '')

      const out = await upload(host, user, 'sftp')

      expect(out).toMatch(/Failure|disk is full/)
      expect(await readFile(host.inside('world.dat'), 'utf8')).toBe('former')
      expect(await readdir(host.inside())).toEqual(['1', '2', 'world.dat'])
    } finally {
      spawnSync('umount', ['-l', host.own('servers')])
    }
  })
})

test('several files of one session are kept as one entry', async ({ host, user }) => {
  for (const name of ['a', 'b']) await writeFile(host.inside(name), 'old')
  await chmod(host.inside('b'), 0o755)
  await using session = await host.connect({ username: user })
  const files = await session.files()

  for (const name of ['a', 'b', 'new']) await toVoidPromise((done) => files.writeFile(`/${name}`, 'new', done))
  await toPromise((done) => files.readdir('/', done))

  expect(await host.trash.of(theServer).list()).toMatchObject([{ path: '/a', paths: 2, reason: 'overwritten' }])
  expect((await stat(host.inside('b'))).mode & 0o777).toBe(0o755)
})
