import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { archiveFiles, extractFile } from '@innkeeper/contract/servers/files'
import type { Comparison } from './compare.ts'
import type { ConsoleLatency } from './console-latency.ts'
import { run } from './programs.ts'
import { writeCompressibleFile, writeSmallFiles } from './test-files.ts'
import type { TestInstallation } from './test-installation.ts'

/** Duration of a latency measurement: more than a hundred lines. */
const latencyMs = 6_000

/** Archives and extracts 5,000 small files and one of 300 MiB, compared to common command-line tools. */
export async function archiveComparisons(
  installation: TestInstallation,
  latency: ConsoleLatency,
  dir: string,
): Promise<Comparison[]> {
  const referenceDir = join(dir, 'archives')
  const folders = [referenceDir, installation.folder]
  for (const folder of folders) {
    await writeSmallFiles(join(folder, 'world', 'regions'), 5_000, 8_192)
    await writeCompressibleFile(join(folder, 'world', 'log.txt'), 300)
  }
  await run('zip', ['-q', '-r', join(referenceDir, 'fixed.zip'), 'world'], { cwd: referenceDir })
  await run('cp', [join(referenceDir, 'fixed.zip'), installation.folder])

  const { pid } = installation
  const id = installation.server
  const clear = async () => {
    for (const folder of folders) {
      for (const name of ['made.zip', 'made.tar.zst']) await rm(join(folder, name), { force: true })
    }
  }
  // Small files stay until the end, as for SFTP; the large one would fill the disk.
  let runs = 0
  const inNewFolder = async (folder: string, extract: (destination: string) => Promise<unknown>) => {
    const destination = `extracted-${runs++}`
    await mkdir(join(folder, destination))
    await extract(destination)
  }
  const pack = (name: string) => installation.send(archiveFiles, { params: { id, path: name }, body: ['world'] })

  return [
    {
      name: 'archive: zip',
      goal: { time: 1 },
      referenceName: 'zip -6',
      ours: () => pack('made.zip'),
      reference: () => run('zip', ['-6', '-q', '-r', 'made.zip', 'world'], { cwd: referenceDir }),
      cleanUp: clear,
      pid,
      maxMiB: 256,
    },
    {
      name: 'archive: unzip',
      goal: { time: 1.15 },
      referenceName: 'unzip',
      ours: () =>
        inNewFolder(installation.folder, (destination) =>
          installation.send(extractFile, { params: { id, path: 'fixed.zip' }, query: { destination } }),
        ),
      reference: () =>
        inNewFolder(referenceDir, (destination) =>
          run('unzip', ['-q', '../fixed.zip'], { cwd: join(referenceDir, destination) }),
        ),
      cleanUp: async () => {
        const name = join(`extracted-${runs - 1}`, 'world', 'log.txt')
        for (const folder of folders) await rm(join(folder, name), { force: true })
      },
      pid,
    },
    {
      name: 'archive: tar.zst',
      goal: { time: 2 },
      referenceName: 'tar | zstd -3',
      ours: () => pack('made.tar.zst'),
      reference: () => run('sh', ['-c', 'tar c world | zstd -3 -T1 -q -o made.tar.zst'], { cwd: referenceDir }),
      cleanUp: clear,
      pid,
    },
    {
      name: 'archive: zip, console p99 meanwhile',
      goal: { time: 4 },
      referenceName: 'idle',
      ours: () =>
        latency.measureDuring(async () => {
          const deadline = performance.now() + latencyMs
          while (performance.now() < deadline) {
            await pack('made.zip')
            await rm(join(installation.folder, 'made.zip'))
          }
        }),
      reference: () => latency.measureDuring(() => setTimeout(latencyMs)),
      cleanUp: clear,
    },
  ]
}
