import { lstatSync, mkdirSync, readdirSync, statSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { parsePath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import { deps, test } from '../../testing/archive-fixture.ts'
import type { ArchivePiece } from './archive-pieces.ts'
import { packTar } from './tar-writer.ts'
import { packZip } from './zip-writer.ts'

describe('a tar created here', () => {
  const readers: [program: string, ...args: string[]][] = [
    ['tar', '-xf', 'a.tar', '-C', 'theirs'],
    ['bsdtar', '-xf', 'a.tar', '-C', 'theirs'],
    ['7z', 'x', '-y', '-otheirs', 'a.tar'],
    ['python3', '-m', 'tarfile', '-e', 'a.tar', 'theirs'],
  ]

  test.for(readers)('has names of each length according to %s', async ([program, ...args], { fixture }) => {
    deps(program)
    for (const length of [92, 93, 94, 95, 96, 154, 155, 156]) {
      fixture.put(`world/${'f'.repeat(length)}`, 'file')
      mkdirSync(join(fixture.inside, `world/${'d'.repeat(length)}`))
      fixture.put(`world/${'p'.repeat(length)}/${'q'.repeat(length - 1)}`, 'file in a folder')
    }

    await fixture.pack('a.tar', 'world')

    mkdirSync(join(fixture.inside, 'theirs'))
    fixture.run(program, ...args)
    expect(() => fixture.run('diff', '-r', 'world', 'theirs/world')).not.toThrow()
  })

  test.for(readers.slice(0, 2))(
    'has times outside of 32 bits according to %s',
    async ([program, ...args], { fixture }) => {
      deps(program)
      const times = [-86_400, 0, 2 ** 31 - 1, 2 ** 31, 4_000_000_000]
      for (const time of times) {
        const date = new Date(time * 1000)
        utimesSync(fixture.put(`world/${time}`, ''), date, date)
      }

      await fixture.pack('a.tar', 'world')
      await fixture.unpack('a.tar')

      mkdirSync(join(fixture.inside, 'theirs'))
      fixture.run(program, ...args)
      for (const folder of ['theirs', 'out']) {
        const seen = times.map((time) => statSync(join(fixture.inside, folder, 'world', String(time))).mtimeMs / 1000)
        expect(seen).toEqual(times)
      }
    },
  )
})

test('permission bits are kept, also when there are none', async ({ fixture }) => {
  const info = (await fixture.files.lstat(parsePath('/'))) ?? expect.fail()
  const modes = [0o000, 0o500, 0o755, 0o777]
  const pieces = (async function* (): AsyncGenerator<ArchivePiece> {
    const open = () => Promise.reject(new Error('it is a folder'))
    for (const mode of modes) yield { type: 'folder', item: { name: `${mode}/`, info: { ...info, mode }, open } }
  })()

  const bytes: Uint8Array[] = []
  for await (const chunk of packTar(pieces, new Progress())) bytes.push(chunk)
  fixture.put('a.tar', Buffer.concat(bytes))

  mkdirSync(join(fixture.inside, 'theirs'))
  fixture.run('tar', '-xpf', 'a.tar', '-C', 'theirs')
  const seen = modes.map((mode) => lstatSync(join(fixture.inside, 'theirs', String(mode))).mode & 0o777)
  expect(seen).toEqual(modes)
})

test('a file may be larger than 8 GiB, and a reader may stop in the middle of it', async ({ fixture }) => {
  const size = 9 * 1024 ** 3
  truncateSync(fixture.put('large.bin', ''), size)
  const openedBefore = readdirSync('/proc/self/fd').length
  const info = (await fixture.files.lstat(parsePath('large.bin'))) ?? expect.fail()
  const open = () => fixture.files.open(parsePath('large.bin'), 'read')
  let blocks = 0
  const pieces = (async function* (): AsyncGenerator<ArchivePiece> {
    const item = { name: 'large.bin', info, open }
    yield { type: 'start', item, size, isCompressed: false }
    for (;;) {
      blocks++
      yield { type: 'block', bytes: Buffer.alloc(65_536), isLast: false }
    }
  })()

  const bytes: Uint8Array[] = []
  for await (const chunk of packTar(pieces, new Progress())) {
    bytes.push(chunk)
    if (bytes.length > 20) break
  }

  fixture.put('start.tar', Buffer.concat(bytes))
  expect(fixture.run('sh', '-c', 'tar -tvf start.tar 2> /dev/null || true')).toContain(` ${size} `)
  expect(blocks).toBeLessThan(60)
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(openedBefore)
})

test.for([
  ['tar', packTar],
  ['zip', packZip],
] as const)('an error while packing a %s is thrown to the reader', async ([, pack], { fixture }) => {
  const info = (await fixture.files.lstat(parsePath('/'))) ?? expect.fail()
  const pieces = (async function* (): AsyncGenerator<ArchivePiece> {
    const item = { name: 'a', info, open: () => expect.fail() }
    yield { type: 'start', item, size: 5_000_000, isCompressed: false }
    yield { type: 'block', bytes: Buffer.alloc(65_536), isLast: false }
    throw new Error('the disk is gone')
  })()

  const reading = (async () => {
    for await (const _ of pack(pieces, new Progress()));
  })()

  await expect(reading).rejects.toThrow('the disk is gone')
})
