import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { test, theServer } from '../testing/sftp-host.ts'

/** Names that people use and clients often mishandle. */
const names = ['plain.txt', 'with a blank.txt', 'größe – 世界.bin', "it's #1 [x].txt", '-rf']

/** Files of sizes just below, at and above a packet. */
async function treeIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>()
  await mkdir(join(folder, 'deep', 'er'), { recursive: true })
  const sizes = [0, 1, 32_768, 261_121, 1_500_000]
  for (const [at, name] of names.entries()) {
    for (const place of ['', 'deep/er/']) files.set(`${place}${name}`, randomBytes(sizes[at] ?? 0))
  }
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes)
  return files
}

async function expectSame(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [name, bytes] of files) {
    expect((await readFile(join(folder, name))).equals(bytes), `${name} in ${folder}`).toBe(true)
  }
}

/** The files below a directory, by relative path. */
function within(files: ReadonlyMap<string, Buffer>, folder: string): ReadonlyMap<string, Buffer> {
  return new Map(
    [...files].flatMap(([name, bytes]) => (name.startsWith(folder) ? [[name.slice(folder.length), bytes]] : [])),
  )
}

const quoted = (path: string) => `"${path}"`

describe('a tree is uploaded and downloaded byte for byte', () => {
  test("with OpenSSH's sftp", async ({ host, user }) => {
    const files = await treeIn(host.own('up'))
    await mkdir(host.own('down'))

    const { code, out } = await host.sftp(user, [
      'mkdir tree',
      `put -r ${quoted(`${host.own('up')}/.`)} tree`,
      `get -r tree ${quoted(host.own('down'))}`,
    ])

    expect([code, out.includes("Couldn't")], out).toEqual([0, false])
    await expectSame(host.inside('tree'), files)
    await expectSame(host.own('down', 'tree'), files)
  })

  test('with sshfs, also when files are changed in the middle', async ({ host, user }) => {
    const files = await treeIn(host.own('up'))
    await mkdir(host.own('mounted'))
    const options = `port=${host.port},StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null`
    const mounted = await host.run('sshfs', [`${user}@127.0.0.1:/`, host.own('mounted'), '-o', options])
    expect(mounted.code, `${mounted.out} (sshfs needs /dev/fuse)`).toBe(0)
    try {
      const copied = await host.run('cp', ['-r', host.own('up'), host.own('mounted', 'tree')])
      expect(copied.code, copied.out).toBe(0)
      await expectSame(host.own('mounted', 'tree'), files)

      const path = host.own('mounted', 'tree', 'plain.txt')
      const edited = await host.run('sh', [
        '-c',
        `echo more >> '${path}' && printf XY | dd of='${path}' bs=1 seek=1 conv=notrunc`,
      ])
      expect(edited.code, edited.out).toBe(0)
      const space = await host.run('df', [host.own('mounted')])
      expect(space.code, space.out).toBe(0)
    } finally {
      await host.run('fusermount3', ['-u', host.own('mounted')])
    }

    expect(await readFile(host.inside('tree', 'plain.txt'), 'utf8')).toBe('mXYe\n')
    await expectSame(host.inside('tree', 'deep', 'er'), within(files, 'deep/er/'))
  })

  test('with lftp, and back by its mirror', async ({ host, user }) => {
    const files = await treeIn(host.own('up'))
    const program = `ssh -a -x -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -p ${host.port} -l ${user}`
    const commands = [
      'set net:max-retries 1',
      'set cmd:fail-exit yes',
      `set sftp:connect-program "${program}"`,
      'open sftp://any:any@127.0.0.1',
      `mirror -R ${host.own('up')} tree`,
      `mirror tree ${host.own('down')}`,
    ]

    const { code, out } = await host.run('lftp', ['-c', commands.join('; ')])

    expect(code, out).toBe(0)
    await expectSame(host.inside('tree'), files)
    await expectSame(host.own('down'), files)
  })

  test('with rclone, on several connections, and its check finds no differences', async ({ host, user }) => {
    const files = await treeIn(host.own('up'))
    const obscured = (await host.run('rclone', ['obscure', 'long enough'])).out.trim()
    const remote = ['--sftp-host', '127.0.0.1', '--sftp-port', String(host.port), '--sftp-user', user]
    const rest = ['--sftp-pass', obscured, '--transfers', '4', '--sftp-disable-hashcheck']

    const up = await host.run('rclone', ['copy', host.own('up'), ':sftp:tree', ...remote, ...rest])
    const down = await host.run('rclone', ['copy', ':sftp:tree', host.own('down'), ...remote, ...rest])
    const check = await host.run('rclone', ['check', '--download', host.own('up'), ':sftp:tree', ...remote, ...rest])

    expect([up.code, down.code, check.code], up.out + down.out + check.out).toEqual([0, 0, 0])
    await expectSame(host.inside('tree'), files)
    await expectSame(host.own('down'), files)
  })
})

test("scp, which accepts no '#' in a user name, copies both ways with its code", async ({ host, user }) => {
  await writeFile(host.own('up.txt'), 'content')
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', `Port=${host.port}`]
  const common = options.flatMap((option) => ['-o', option])
  const remote = `${user.replace('#', '%23')}@127.0.0.1`

  const up = await host.run('scp', [...common, host.own('up.txt'), `${remote}:a.txt`])
  const down = await host.run('scp', [...common, `${remote}:a.txt`, host.own('down.txt')])

  expect([up.code, down.code], up.out + down.out).toEqual([0, 0])
  expect(await readFile(host.own('down.txt'), 'utf8')).toBe('content')
})

test('a client that ends its session is closed properly', async ({ host, user }) => {
  const { code, out } = await host.sftp(user, ['pwd'])

  expect([code, out], out).toEqual([0, expect.stringContaining('Remote working directory: /')])
})

test('a listing shows links as links and unreachable names, and hides temporary files', async ({ host, user }) => {
  await writeFile(host.inside('plain.txt'), '12345')
  await symlink('plain.txt', host.inside('link'))
  await writeFile(host.inside('.innkeeper-00000000-0.tmp'), '')
  await writeFile(Buffer.concat([Buffer.from(host.inside('odd-')), Buffer.from([0xff])]), '')

  const { out } = await host.sftp(user, ['ls -la', '-get odd-*', 'df'])

  expect(out).toMatch(/^-rw-r--r-- .* 5 .* plain\.txt$/m)
  expect(out).toMatch(/^lrwxrwxrwx .* link$/m)
  expect(out).toMatch(/odd-/)
  expect(out).not.toContain('.tmp')
  expect(out).toMatch(/%Capacity/)
})

test.for([true, false])('only an empty directory is removed (with a trash: %s)', async (keepsFiles, { host, user }) => {
  host.keepsFiles = keepsFiles
  await mkdir(host.inside('a', 'b'), { recursive: true })
  await writeFile(host.inside('a', 'b', 'c'), 'content')
  await mkdir(host.inside('empty'))

  const { out } = await host.sftp(user, ['-rmdir /', '-rmdir a', '-rmdir a/b', 'rmdir empty'])

  expect(await readdir(host.inside(), { recursive: true }), out).toEqual(['a', 'a/b', 'a/b/c'])
  expect(await readFile(host.inside('a', 'b', 'c'), 'utf8')).toBe('content')
  const entries = await host.trash.of(theServer).list()
  expect(entries.map(({ path }) => path)).toEqual(keepsFiles ? ['/empty'] : [])
})

test('uploaded files get parent directories, and times and modes are kept', async ({ host, user }) => {
  await writeFile(host.own('script.sh'), '#!/bin/sh\n', { mode: 0o755 })
  await host.run('touch', ['-d', '2020-02-03T04:05:06Z', host.own('script.sh')])

  const { out } = await host.sftp(user, [
    `put -p ${host.own('script.sh')} new/deep/script.sh`,
    'chmod 4777 new/deep/script.sh',
  ])

  const { mode, mtime } = await stat(host.inside('new', 'deep', 'script.sh'))
  expect([(mode & 0o7777).toString(8), mtime.toISOString()], out).toEqual(['777', '2020-02-03T04:05:06.000Z'])
  expect(existsSync(host.inside('new'))).toBe(true)
})
