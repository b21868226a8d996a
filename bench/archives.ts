import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { archiveFiles, extractFile } from '@innkeeper/contract/files'
import type { Contest } from './compare.ts'
import { makeFiles, makeProse } from './data.ts'
import type { Product } from './product.ts'
import { run } from './programs.ts'
import type { Ticking } from './ticking.ts'

/** A turn of the console takes so long: time for more than a hundred lines. */
const listeningMs = 6_000

/** Packing and unpacking 5,000 small files and one of 300 MiB, against the tools that everybody has. */
export async function archiveContests(product: Product, ticking: Ticking, dir: string): Promise<Contest[]> {
  const theirs = join(dir, 'archives')
  const folders = [theirs, product.folder]
  for (const folder of folders) {
    await makeFiles(join(folder, 'world', 'regions'), 5_000, 8_192)
    await makeProse(join(folder, 'world', 'log.txt'), 300)
  }
  await run('zip', ['-q', '-r', join(theirs, 'fixed.zip'), 'world'], { cwd: theirs })
  await run('cp', [join(theirs, 'fixed.zip'), product.folder])

  const { pid } = product
  const id = product.server
  const clear = async () => {
    for (const folder of folders) {
      for (const name of ['made.zip', 'made.tar.zst']) await rm(join(folder, name), { force: true })
    }
  }
  // Small files stay to the end, as those of SFTP do; the large one would fill the disk.
  let turns = 0
  const unpacked = async (folder: string, unpack: (into: string) => Promise<unknown>) => {
    const into = `unpacked-${turns++}`
    await mkdir(join(folder, into))
    await unpack(into)
  }
  const pack = (name: string) => product.ask(archiveFiles, { params: { id, path: name }, body: ['world'] })

  return [
    {
      name: 'archive: zip',
      goal: { time: 0.35 },
      against: 'zip -6',
      ours: () => pack('made.zip'),
      reference: () => run('zip', ['-6', '-q', '-r', 'made.zip', 'world'], { cwd: theirs }),
      after: clear,
      pid,
      mostMiB: 200,
    },
    {
      name: 'archive: unzip',
      goal: { time: 1.15 },
      against: 'unzip',
      ours: () =>
        unpacked(product.folder, (destination) =>
          product.ask(extractFile, { params: { id, path: 'fixed.zip' }, query: { destination } }),
        ),
      reference: () => unpacked(theirs, (into) => run('unzip', ['-q', '../fixed.zip'], { cwd: join(theirs, into) })),
      after: async () => {
        const name = join(`unpacked-${turns - 1}`, 'world', 'log.txt')
        for (const folder of folders) await rm(join(folder, name), { force: true })
      },
      pid,
    },
    {
      name: 'archive: tar.zst',
      goal: { time: 2 },
      against: 'tar | zstd -3',
      ours: () => pack('made.tar.zst'),
      reference: () => run('sh', ['-c', 'tar c world | zstd -3 -T1 -q -o made.tar.zst'], { cwd: theirs }),
      after: clear,
      pid,
    },
    {
      name: 'archive: zip, console p99 meanwhile',
      goal: { time: 2 },
      against: 'idle',
      ours: () =>
        ticking.during(async () => {
          const until = performance.now() + listeningMs
          while (performance.now() < until) {
            await pack('made.zip')
            await rm(join(product.folder, 'made.zip'))
          }
        }),
      reference: () => ticking.during(() => setTimeout(listeningMs)),
      after: clear,
    },
  ]
}
