import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { link, mkdir, readdir, readFile, readlink, stat, statfs, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import type ssh2 from 'ssh2'
import { describe, expect, vi } from 'vitest'
import { RootFs } from '../../files/root.ts'
import type { FakeUser } from '../../testing/fake-panel.ts'
import { RawSftp } from '../../testing/raw-sftp.ts'
import { otherServer, SftpHost, test, theServer, toPromise, toVoidPromise } from '../../testing/sftp-host.ts'
import { openFlags, requests, statuses } from '../protocol/wire.ts'
import { windowBytes } from '../ssh/channel-io.ts'
import { maxOpenHandles } from './handles.ts'

describe('graphical clients', () => {
  test('a file is written in any pieces, read back, truncated and dated', async ({ host, user }) => {
    await using session = await host.connect({ username: user })
    const files = await session.files()
    const handle = await toPromise<Buffer>((done) => files.open('/a.bin', 'w+', done))
    const piece = Buffer.from('0123456789')
    for (const at of [20, 0, 10]) await toVoidPromise((done) => files.write(handle, piece, 0, piece.length, at, done))

    const read = Buffer.alloc(30)
    await toPromise<number>((done) => files.read(handle, read, 0, 30, 0, done))
    await toVoidPromise((done) => files.fsetstat(handle, { size: 25, mode: 0o640 } as ssh2.InputAttributes, done))
    await toVoidPromise((done) => files.ext_openssh_fsync(handle, done))
    const { size, mode } = await toPromise<ssh2.Stats>((done) => files.fstat(handle, done))
    await toVoidPromise((done) => files.close(handle, done))
    await toVoidPromise((done) => files.utimes('/a.bin', 1_500_000_000, 1_500_000_001, done))

    expect(read.toString()).toBe('0123456789'.repeat(3))
    expect([size, mode & 0o777]).toEqual([25, 0o640])
    expect((await stat(host.inside('a.bin'))).mtimeMs).toBe(1_500_000_001_000)
  })

  test('many pieces in flight arrive complete and in order', async ({ host, user }) => {
    const content = randomBytes(6_000_000)
    await writeFile(host.own('up.bin'), content)
    await using session = await host.connect({ username: user })
    const files = await session.files()

    await toVoidPromise((done) =>
      files.fastPut(host.own('up.bin'), '/up.bin', { concurrency: 64, chunkSize: 31_337 }, done),
    )
    await toVoidPromise((done) =>
      files.fastGet('/up.bin', host.own('down.bin'), { concurrency: 64, chunkSize: 29_999 }, done),
    )

    expect((await readFile(host.inside('up.bin'))).equals(content)).toBe(true)
    expect((await readFile(host.own('down.bin'))).equals(content)).toBe(true)
  })

  test('a client on a slow network gets window extensions long before its window is used up', async ({
    host,
    user,
  }) => {
    await using session = await host.connect({ username: user })
    const files = await session.files()
    const handle = await toPromise<Buffer>((done) => files.open('/a.bin', 'w', done))
    const piece = randomBytes(30_000)
    for (let at = 0; at < 20; at++)
      await toVoidPromise((done) => files.write(handle, piece, 0, piece.length, at * piece.length, done))

    const { window } = Reflect.get(files, 'outgoing') as { window: number }
    expect(window).toBeGreaterThan(windowBytes - 512 * 1024)
  })

  test('a client that reads nothing for a while gets every response in the end', async ({ host, user }) => {
    const [piece, pieces] = [32 * 1024, 300]
    const content = randomBytes(piece * pieces)
    await writeFile(host.inside('a.bin'), content)
    await using session = await host.connect({ username: user })
    const raw = await RawSftp.open(session)
    const opened = await raw.ask(requests.open, (to) => to.string('/a.bin').u32(openFlags.read).u32(0))
    const handle = opened.rest.subarray(4)

    raw.channel.pause()
    const read = Array.from({ length: pieces }, (_, at) =>
      raw.ask(requests.read, (to) =>
        to
          .string(handle)
          .u64(at * piece)
          .u32(piece),
      ),
    )
    await vi.waitFor(() => expect(Reflect.get(raw.channel, 'incoming')).toHaveProperty('window', 0), 5_000)
    raw.channel.resume()
    const parts = (await Promise.all(read)).map(({ rest }) => rest.subarray(4))

    expect(Buffer.concat(parts).equals(content)).toBe(true)
  })

  test('a rename replaces a file only on request', async ({ host, user }) => {
    for (const name of ['new', 'old']) await writeFile(host.inside(name), name)
    await using session = await host.connect({ username: user })
    const files = await session.files()

    await expect(toVoidPromise((done) => files.rename('/new', '/old', done))).rejects.toThrow('exists')
    expect(await readFile(host.inside('old'), 'utf8')).toBe('old')

    await toVoidPromise((done) => files.ext_openssh_rename('/new', '/old', done))
    expect(await readFile(host.inside('old'), 'utf8')).toBe('new')
  })

  test('every change is recorded once, and nothing that only reads', async ({ host, user }) => {
    await writeFile(host.inside('old.txt'), 'old')
    await using session = await host.connect({ username: user })
    const files = await session.files()
    const failed = (work: Promise<unknown>) => expect(work).rejects.toThrow()

    await toVoidPromise((done) => files.writeFile('/up.bin', randomBytes(400_000), done))
    await toVoidPromise((done) => files.utimes('/up.bin', 1_500_000_000, 1_500_000_001, done))
    const handle = await toPromise<Buffer>((done) => files.open('/old.txt', 'r+', done))
    for (const at of [0, 1]) await toVoidPromise((done) => files.write(handle, Buffer.from('n'), 0, 1, at, done))
    await toVoidPromise((done) => files.close(handle, done))
    await toPromise((done) => files.readFile('/old.txt', done))
    await toPromise((done) => files.readdir('/', done))
    await toVoidPromise((done) => files.chmod('/old.txt', 0o600, done))
    await toVoidPromise((done) => files.mkdir('/world', done))
    await failed(toVoidPromise((done) => files.mkdir('/world', done)))
    await toVoidPromise((done) => files.rename('/old.txt', '/world/new.txt', done))
    await toVoidPromise((done) => files.ext_openssh_rename('/up.bin', '/up2.bin', done))
    await toVoidPromise((done) => files.symlink('up2.bin', '/link', done))
    await toVoidPromise((done) => files.unlink('/world/new.txt', done))
    await failed(toVoidPromise((done) => files.unlink('/nothing', done)))
    await toVoidPromise((done) => files.rmdir('/world', done))

    const { id: userId } = host.panel.users.find(({ email }) => user.startsWith(email)) ?? {}
    expect(host.changes.due().map(({ type, path }) => [type, path])).toEqual([
      ['write', '/up.bin'],
      ['write', '/old.txt'],
      ['attributes', '/old.txt'],
      ['write', '/world'],
      ['move', '/old.txt → /world/new.txt'],
      ['move', '/up.bin → /up2.bin'],
      ['write', '/link'],
      ['delete', '/world/new.txt'],
      ['delete', '/world'],
    ])
    for (const change of host.changes.due()) {
      expect(change).toMatchObject({ userId, server: theServer, address: '127.0.0.1', count: 1 })
    }
  })

  test('what is deleted and overwritten goes to the trash, as one entry of the session each', async ({
    host,
    user,
  }) => {
    await mkdir(host.inside('world'))
    for (const name of ['world/1', 'world/2', 'a.txt']) await writeFile(host.inside(name), 'old', { mode: 0o640 })
    {
      await using session = await host.connect({ username: user })
      const files = await session.files()
      for (const name of ['/world/1', '/world/2']) await toVoidPromise((done) => files.unlink(name, done))
      await toVoidPromise((done) => files.rmdir('/world', done))
      await toVoidPromise((done) => files.writeFile('/a.txt', 'new', done))
    }

    const entries = await vi.waitUntil(async () => {
      const listed = await host.trash.of(theServer).list()
      return listed.length === 2 && listed.every(({ bytes }) => bytes !== undefined) ? listed : undefined
    })

    expect(await readdir(host.inside())).toEqual(['a.txt'])
    expect(await readFile(host.inside('a.txt'), 'utf8')).toBe('new')
    expect((await stat(host.inside('a.txt'))).mode & 0o777).toBe(0o640)
    const [deleted, overwritten] = entries.toSorted((one, other) => one.reason.localeCompare(other.reason))
    expect(overwritten).toMatchObject({ path: '/a.txt', paths: 1, reason: 'overwritten', bytes: 3 })
    expect(deleted).toMatchObject({ path: '/world/1', paths: 3, reason: 'deleted', bytes: 6 })
    await using files = await RootFs.open(host.inside())
    await host.trash.of(theServer).restore(deleted?.id ?? '', files, 'keepBoth', new AbortController().signal)
    expect(await readdir(host.inside('world'))).toEqual(['1', '2'])
  })

  test('appending writes at the end, and an exclusive file is not opened twice', async ({ host, user }) => {
    await writeFile(host.inside('log'), 'one ')
    await using session = await host.connect({ username: user })
    const files = await session.files()

    await toVoidPromise((done) => files.appendFile('/log', 'two', done))
    await expect(toPromise((done) => files.open('/log', 'wx', done))).rejects.toThrow('exists')

    expect(await readFile(host.inside('log'), 'utf8')).toBe('one two')
  })

  test('free space, links and real paths are reported', async ({ host, user }) => {
    await writeFile(host.inside('a'), '')
    await using session = await host.connect({ username: user })
    const files = await session.files()

    await toVoidPromise((done) => files.symlink('a', '/link', done))
    const space = await toPromise<{ f_bsize: number; f_blocks: number }>((done) => files.ext_openssh_statvfs('/', done))

    expect(await readlink(host.inside('link'))).toBe('a')
    expect(await toPromise((done) => files.readlink('/link', done))).toBe('a')
    expect((await toPromise<ssh2.Stats>((done) => files.lstat('/link', done))).isSymbolicLink()).toBe(true)
    expect((await toPromise<ssh2.Stats>((done) => files.stat('/link', done))).isFile()).toBe(true)
    expect(await toPromise((done) => files.realpath('x/../../..//a/.', done))).toBe('/a')
    expect(space.f_bsize * space.f_blocks).toBeGreaterThan(0)
    await expect(toVoidPromise((done) => files.ext_openssh_hardlink('/a', '/b', done))).rejects.toThrow()
  })

  test.for([
    ['OpenSSH_9.2p1', 'target first'],
    ['paramiko_2.12.0', 'target first'],
    ['libssh2_1.10.0', 'target first'],
    ['Go', 'target first'],
    ['rclone/v1.60.1', 'target first'],
    ['JSCH-0.1.54', 'target first'],
    ['libssh_0.10.6', 'link first'],
    ['AsyncSSH_2.10.1', 'link first'],
    ['ssh2js1.17.0', 'link first'],
    ['GoodClient_1', 'link first'],
  ] as const)('%s sends the paths of a link with the %s', async ([ident, order], { host, user }) => {
    await using session = await host.connect({ username: user, ident })
    const raw = await RawSftp.open(session)
    const paths = order === 'target first' ? ['target', '/link'] : ['/link', 'target']

    const status = await raw.status(requests.symlink, (to) => to.string(paths[0] ?? '').string(paths[1] ?? ''))

    expect([status, await readlink(host.inside('link'))]).toEqual([statuses.ok, 'target'])
    const files = await session.files()
    const { size } = await toPromise<ssh2.Stats>((done) => files.lstat('/link', done))
    expect(size).toBe('target'.length)
  })

  test('free space is that of the disk, and with a limit that of the server', async ({ host, user }) => {
    await using session = await host.connect({ username: user })
    const files = await session.files()
    type Space = Record<'f_frsize' | 'f_blocks' | 'f_bfree' | 'f_bavail', number>
    const space = () => toPromise<Space>((done) => files.ext_openssh_statvfs('/', done))
    const disk = await statfs(host.inside())

    const without = await space()
    host.limitBytes = 20 * 1024 ** 2
    host.diskLimit.measured(5 * 1024 ** 2)
    const limited = await space()

    expect([without.f_blocks, without.f_frsize]).toEqual([disk.blocks, disk.bsize])
    expect(without.f_bfree - without.f_bavail).toBe(disk.bfree - disk.bavail)
    const bytes = ({ f_frsize: size, f_blocks, f_bfree, f_bavail }: Space) =>
      [f_blocks, f_bfree, f_bavail].map((n) => n * size)
    expect(bytes(limited)).toEqual([20, 15, 15].map((mebi) => mebi * 1024 ** 2))
  })

  test('names with control characters can be created, listed, read, renamed and removed', async ({ host, user }) => {
    await using session = await host.connect({ username: user })
    const files = await session.files()

    for (const name of ['Icon\r', 'a\tb', 'c\nd']) {
      await toVoidPromise((done) => files.writeFile(`/${name}`, 'content', done))
      expect(await session.list('/')).toEqual([name])
      expect(String(await toPromise((done) => files.readFile(`/${name}`, done)))).toBe('content')
      await toVoidPromise((done) => files.rename(`/${name}`, `/x${name}`, done))
      await toVoidPromise((done) => files.unlink(`/x${name}`, done))
    }

    expect(await session.list('/')).toEqual([])
  })

  test('a directory of many files is listed completely', async ({ host, user }) => {
    const names = Array.from({ length: 3_000 }, (_, at) => `file-${String(at).padStart(5, '0')}-${'x'.repeat(100)}`)
    // Links are created far faster than files.
    await writeFile(host.own('empty'), '')
    await Promise.all(names.map((name) => link(host.own('empty'), host.inside(name))))
    await using session = await host.connect({ username: user })

    expect(await session.list('/')).toEqual(names)
  })
})

describe('permissions', () => {
  test('without the permission to write, files are read and nothing is changed', async ({ host }) => {
    const others = serverPermissionNames.filter((permission) => permission !== 'putServerFiles')
    const { email } = host.panel.addUser({ permissions: { [theServer]: others } })
    await mkdir(host.inside('folder'))
    await writeFile(host.inside('a'), 'old')
    await using session = await host.connect({ username: `${email}#${theServer}` })
    const files = await session.files()

    expect(String(await toPromise((done) => files.readFile('/a', done)))).toBe('old')
    const changes: Record<string, (done: (error?: Error | null) => void) => void> = {
      write: (done) => files.writeFile('/a', 'new', done),
      append: (done) => files.appendFile('/a', 'new', done),
      create: (done) => files.writeFile('/b', 'new', done),
      remove: (done) => files.unlink('/a', done),
      removeFolder: (done) => files.rmdir('/folder', done),
      makeFolder: (done) => files.mkdir('/other', done),
      rename: (done) => files.rename('/a', '/b', done),
      renameOver: (done) => files.ext_openssh_rename('/a', '/b', done),
      setStat: (done) => files.chmod('/a', 0o777, done),
      timeout: (done) => files.setstat('/a', { size: 0 } as ssh2.InputAttributes, done),
      link: (done) => files.symlink('a', '/link', done),
    }
    for (const [name, change] of Object.entries(changes)) {
      await expect(toVoidPromise(change), name).rejects.toThrow('not authorized')
    }
    expect(await readdir(host.inside())).toEqual(['a', 'folder'])
    expect([await readFile(host.inside('a'), 'utf8'), (await stat(host.inside('a'))).mode & 0o777]).toEqual([
      'old',
      0o644,
    ])
  })

  test('removed while a file is open stop its writes, and added ones take effect at once', async ({ host }) => {
    const user = host.panel.addUser({ permissions: { [theServer]: ['sftpServer', 'putServerFiles'] } })
    await using session = await host.connect({ username: `${user.email}#${theServer}` })
    const files = await session.files()
    const handle = await toPromise<Buffer>((done) => files.open('/a', 'w', done))
    const write = () => toVoidPromise((done) => files.write(handle, Buffer.from('x'), 0, 1, 0, done))
    await write()

    user.permissions[theServer] = ['sftpServer']
    await expect
      .poll(() =>
        write().then(
          () => 'written',
          (error: Error) => error.message,
        ),
      )
      .toContain('not authorized')

    user.permissions[theServer] = ['sftpServer', 'putServerFiles']
    await expect
      .poll(() =>
        write().then(
          () => 'written',
          () => 'refused',
        ),
      )
      .toBe('written')
  })

  const ends: readonly [string, (user: FakeUser) => void][] = [
    [
      'the permission for SFTP is revoked',
      (user) => {
        user.permissions[theServer] = []
      },
    ],
    [
      'the password is changed',
      (user) => {
        user.password = 'another one'
      },
    ],
  ]
  test.for(ends)('a transfer ends when %s', async ([, revoke], { host }) => {
    const user = host.panel.addUser({ permissions: { [theServer]: ['sftpServer', 'putServerFiles'] } })
    await writeFile(host.inside('big'), randomBytes(4_000_000))
    await using session = await host.connect({ username: `${user.email}#${theServer}` })
    const files = await session.files()
    const reading = (async () => {
      const handle = await toPromise<Buffer>((done) => files.open('/big', 'r', done))
      const piece = Buffer.alloc(30_000)
      for (let at = 0; ; at = (at + 30_000) % 3_000_000) {
        await toPromise<number>((done) => files.read(handle, piece, 0, piece.length, at, done))
      }
    })()
    const broken = expect(reading).rejects.toThrow()

    revoke(user)

    await session.ended
    await broken
    expect(host.server.sessions).toBe(0)
  })

  test('are kept while the panel is briefly unreachable; after a while sessions end', async () => {
    await using host = await SftpHost.start({ maxUnconfirmedMs: 500 })
    await using session = await host.connect({ username: host.userWithFiles() })
    expect(await session.list('/')).toEqual([])

    host.panel.isAway = true
    expect(await session.list('/')).toEqual([])

    await session.ended
  })

  test('do not exist while the server is being removed', async ({ host, user }) => {
    await using session = await host.connect({ username: user })
    const files = await session.files()
    await toVoidPromise((done) => files.writeFile('/before', '', done))

    host.isBeingRemoved = true

    await expect(toVoidPromise((done) => files.writeFile('/after', '', done))).rejects.toThrow('not authorized')
    expect(await readdir(host.inside())).toEqual(['before'])
  })

  test('end with the server', async ({ host, user }) => {
    await using session = await host.connect({ username: user })
    expect(await session.list('/')).toEqual([])

    host.removeServer()

    await session.ended
  })
})

describe('escaping the root', () => {
  test('links that lead out are listed and removed as links, never followed, and cannot be created', async ({
    host,
    user,
  }) => {
    await writeFile(host.own('secret'), 'secret')
    await mkdir(host.own('servers', otherServer, 'theirs'))
    await symlink('../../secret', host.inside('relative'))
    await symlink(host.own('secret'), host.inside('absolute'))
    await symlink('..', host.inside('up'))
    await using session = await host.connect({ username: user })
    const files = await session.files()

    expect(await session.list('/')).toEqual(['absolute', 'relative', 'up'])
    const attempts: Record<string, Promise<unknown>> = {
      read: toPromise((done) => files.readFile('/relative', done)),
      readAbsolute: toPromise((done) => files.readFile('/absolute', done)),
      write: toVoidPromise((done) => files.writeFile('/relative', 'x', done)),
      list: toPromise((done) => files.readdir('/up', done)),
      stat: toPromise((done) => files.stat('/relative', done)),
      through: toPromise((done) => files.stat(`/up/${otherServer}/theirs`, done)),
      make: toVoidPromise((done) => files.mkdir('/up/new', done)),
      rename: toVoidPromise((done) => files.rename('/relative', '/up/relative', done)),
      mode: toVoidPromise((done) => files.chmod('/relative', 0o777, done)),
      link: toVoidPromise((done) => files.symlink('../../secret', '/new', done)),
      linkAbsolute: toVoidPromise((done) => files.symlink('/etc/passwd', '/new', done)),
    }
    for (const [name, trying] of Object.entries(attempts)) {
      await expect(trying, name).rejects.toThrow(/outside|not found|No such/)
    }
    await toVoidPromise((done) => files.unlink('/relative', done))
    expect(await session.list('/')).toEqual(['absolute', 'up'])
    expect(await readFile(host.own('secret'), 'utf8')).toBe('secret')
  })
})

describe('invalid packets', () => {
  test('invalid handles, unknown requests and invalid names are refused, and the session continues', async ({
    host,
    user,
  }) => {
    await writeFile(host.inside('a'), 'abc')
    await using session = await host.connect({ username: user })
    const raw = await RawSftp.open(session)
    for (const handle of [Buffer.alloc(0), Buffer.from([0, 0, 0, 9]), Buffer.alloc(300), Buffer.from('1')]) {
      for (const type of [requests.close, requests.fstat, requests.readdir]) {
        expect(await raw.status(type, (to) => to.string(handle))).toBe(statuses.failure)
      }
      expect(await raw.status(requests.read, (to) => to.string(handle).u64(0).u32(10))).toBe(statuses.failure)
      expect(await raw.status(requests.write, (to) => to.string(handle).u64(0).string('x'))).toBe(statuses.failure)
    }

    expect(await raw.status(99, (to) => to)).toBe(statuses.opUnsupported)
    expect(await raw.status(requests.extended, (to) => to.string('nobody@knows.it'))).toBe(statuses.opUnsupported)
    expect(await raw.status(requests.extended, (to) => to.string('__proto__'))).toBe(statuses.opUnsupported)
    expect(await raw.status(requests.stat, (to) => to)).toBe(statuses.badMessage)
    expect(await raw.status(requests.stat, (to) => to.u32(0xffff_ffff))).toBe(statuses.badMessage)
    expect(await raw.status(requests.stat, (to) => to.string(Buffer.from([0xff, 0xfe])))).toBe(statuses.badMessage)
    expect(await raw.status(requests.stat, (to) => to.string('a\0b'))).toBe(statuses.failure)
    expect(await raw.status(requests.stat, (to) => to.string('x/'.repeat(5_000)))).toBe(statuses.failure)
    expect(await raw.status(requests.setstat, (to) => to.string('/a').u32(0x8000_0000).u32(0xffff_ffff))).toBe(
      statuses.badMessage,
    )
    expect(await raw.status(requests.stat, (to) => to.string('/a'))).toBe(-105)
    expect(raw.version).toContain('posix-rename@openssh.com')
  })

  test('a length or offset beyond the file returns what there is', async ({ host, user }) => {
    await writeFile(host.inside('a'), 'abc')
    await using session = await host.connect({ username: user })
    const raw = await RawSftp.open(session)
    const opened = await raw.ask(requests.open, (to) => to.string('/a').u32(3).u32(0))
    const handle = opened.rest.subarray(4)

    const all = await raw.ask(requests.read, (to) => to.string(handle).u64(0).u32(0xffff_ffff))
    expect(all.rest.subarray(4).toString()).toBe('abc')
    expect(
      await raw.status(requests.read, (to) =>
        to
          .string(handle)
          .u64(2n ** 52n)
          .u32(10),
      ),
    ).toBe(statuses.eof)
    expect(
      await raw.status(requests.read, (to) =>
        to
          .string(handle)
          .u64(2n ** 63n)
          .u32(10),
      ),
    ).toBe(statuses.badMessage)
    expect(
      await raw.status(requests.write, (to) =>
        to
          .string(handle)
          .u64(2n ** 62n)
          .string('x'),
      ),
    ).toBe(statuses.badMessage)
  })

  test('open files are limited', async ({ host, user }) => {
    await writeFile(host.inside('a'), '')
    await using session = await host.connect({ username: user })
    const raw = await RawSftp.open(session)

    const opened = await Promise.all(
      Array.from({ length: maxOpenHandles + 3 }, () =>
        raw.status(requests.open, (to) => to.string('/a').u32(1).u32(0)),
      ),
    )

    expect(opened.filter((status) => status === -102)).toHaveLength(maxOpenHandles)
    expect(opened.filter((status) => status === statuses.failure)).toHaveLength(3)
  })

  test.each([
    ['of one user', { total: 100, perOwner: 5 }, 5],
    ['of a node', { total: 7, perOwner: 100 }, 7],
  ])('open files %s are limited over all sessions, and closed ones make room', async (_, handleLimits, most) => {
    await using host = await SftpHost.start({ handleLimits })
    await writeFile(host.inside('a'), '')
    const user = host.userWithFiles()
    await using one = await host.connect({ username: user })
    await using other = await host.connect({ username: user })
    const open = async (raw: RawSftp) => raw.status(requests.open, (to) => to.string('/a').u32(1).u32(0))
    const [first, second] = [await RawSftp.open(one), await RawSftp.open(other)]

    for (let opened = 0; opened < most; opened++) expect(await open(opened % 2 ? first : second)).toBe(-102)
    expect([await open(first), await open(second)]).toEqual([statuses.failure, statuses.failure])

    first.channel.end()
    await first.closed
    await vi.waitFor(async () => expect(await open(second)).toBe(-102))
  })

  test.for([
    ['an empty packet', Buffer.from([0, 0, 0, 0])],
    ['a packet of 4 GiB', Buffer.from([0xff, 0xff, 0xff, 0xff, 3])],
    ['a request before the beginning', Buffer.from([0, 0, 0, 5, 16, 0, 0, 0, 1])],
  ] as const)('%s ends the session', async ([, bytes], { host, user }) => {
    await using session = await host.connect({ username: user })
    const raw = await RawSftp.open(session, { init: false })

    raw.channel.write(bytes)

    await raw.closed
  })

  test('garbage instead of SSH ends only that connection, and thousands of them leave nothing', async ({
    host,
    user,
  }) => {
    await using session = await host.connect({ username: user })
    const noise = async () => {
      const socket = connect(host.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(500)]))
      socket.resume()
      await once(socket, 'close')
    }
    for (let at = 0; at < 20; at++) await Promise.all(Array.from({ length: 20 }, noise))

    expect(await session.list('/')).toEqual([])
    expect(host.server.sessions).toBe(1)
    await expect.poll(() => host.server.connections).toBe(1)
  })
})
