import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/backups/backups'
import { test as base, describe, expect, vi } from 'vitest'
import { BackupServer, slowWait } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'
import { FaultyDisk } from '../testing/faulty-disk.ts'
import { newerRestic } from '../testing/newer-restic.ts'

const isRoot = process.getuid?.() === 0

const restics: readonly (readonly [string, () => string | undefined])[] = [
  ['of this machine', () => undefined],
  ['of a newer release', newerRestic],
]

describe.for(restics)('with the restic %s', ([, locate]) => {
  const test = base.extend<{ node: TestNode; server: BackupServer }>({
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
    node: async ({}, use) => {
      await using node = await TestNode.start({ backups: { restic: locate() } })
      await use(node)
    },
    server: async ({ node }, use) => {
      const server = new BackupServer(node)
      await server.create()
      await use(server)
    },
  })

  test.for(['read=EIO', 'open=EIO', 'open=ENOENT'])(
    'files that a disk does not return (%s) are counted and named, and administrators are alerted',
    async (fault, { node, server, skip }) => {
      skip(!isRoot, 'only root may give a disk to other users')
      await using disk = await FaultyDisk.at(server.dir)
      for (let at = 0; at < 7; at++) server.write(`world/r.${at}`, 'blocks')
      disk.fail(fault)

      const backup = await server.backUp()

      expect(backup).toMatchObject({ files: 0, unreadFiles: 7 })
      expect(backup.unreadNames?.length).toBe(5)
      expect(backup.unreadNames?.every((name) => /^world\/r\.\d$/.test(name))).toBe(true)
      await vi.waitFor(() => {
        const events = JSON.parse(readFileSync(join(node.dataDir, 'events.json'), 'utf8'))
        expect(events.at(-1)).toMatchObject({
          type: 'backupFailed',
          server: server.id,
          detail: expect.stringMatching(/lacks files .* \(7\): world\/r\.\d, .*, …$/),
        })
      }, slowWait)
      disk.fail('')
      expect((await server.backUp()).unreadFiles).toBeUndefined()
    },
  )

  test('a backup without unread files says nothing about them', async ({ server }) => {
    server.write('world/level.dat', 'x')

    const backup = await server.backUp()

    expect(backup).not.toHaveProperty('unreadFiles')
    expect(backup).not.toHaveProperty('unreadNames')
  })

  test('names that are not UTF-8 are listed, found and restored by path', async ({ node, server }) => {
    const raw = (name: string) => Buffer.concat([Buffer.from(`${server.dir}/`), Buffer.from(name, 'latin1')])
    mkdirSync(raw('m\xf6bel/s\xfc\xdf'), { recursive: true })
    writeFileSync(raw('m\xf6bel/s\xfc\xdf/caf\xe9'), 'first')
    writeFileSync(raw('m\xf6bel/s\xfc\xdf/caf\xe8'), 'second')
    writeFileSync(raw('m\xf6bel/plain [1]*.txt'), 'third')
    const backup = await server.backUp()
    const params = { ...server.params, backup: backup.id }
    const list = async (path: string) =>
      (await node.client.send(calls.listBackupFiles, { params, query: { path } })).body.map(
        ({ name }: { name: string }) => name,
      )
    const [folder = ''] = await list('/')
    const [plain = '', nested = ''] = await list(folder)
    const names = await list(`${folder}/${nested}`)
    const { body: found } = await node.client.send(calls.searchBackupFiles, { params, query: { text: 'caf' } })
    rmSync(server.dir, { recursive: true })
    mkdirSync(server.dir)

    const restored = await server.restore(backup, { paths: [`${folder}/${nested}/${names[0]}`, `${folder}/${plain}`] })

    expect([folder, nested, plain]).toEqual(['m\ufffdbel', 's\ufffd\ufffd', 'plain [1]*.txt'])
    expect(names).toEqual(['caf\ufffd', 'caf\ufffd'])
    expect(found.found).toHaveLength(2)
    expect(restored).toMatchObject({ state: 'done' })
    // They look alike.
    expect(readdirSync(raw('m\xf6bel/s\xfc\xdf'))).toHaveLength(2)
    expect(readFileSync(raw('m\xf6bel/s\xfc\xdf/caf\xe9'), 'utf8')).toBe('first')
    expect(existsSync(raw('m\xf6bel/plain [1]*.txt'))).toBe(true)
  })

  test('restored files keep their holes where restic can', async ({ server }) => {
    const path = join(server.dir, 'world.img')
    writeFileSync(path, 'start')
    truncateSync(path, 64 * 1024 ** 2)
    const backup = await server.backUp()
    rmSync(path)

    const restored = await server.restore(backup, { paths: ['world.img'] })

    expect(restored.state).toBe('done')
    const { size, blocks } = statSync(path)
    expect(size).toBe(64 * 1024 ** 2)
    const keepsHoles = locate() !== undefined
    expect(blocks * 512 < 8 * 1024 ** 2).toBe(keepsHoles)
  })

  test('a pipe that has the name of what is restored is named', async ({ server }) => {
    execFileSync('mkfifo', [join(server.dir, 'pipe')])
    server.write('file', 'x')
    const backup = await server.backUp()

    const { error } = await server.restore(backup, { paths: ['file', 'pipe'] })

    expect(error).toMatchObject({
      code: 'ErrBackupFailed',
      metadata: { reason: expect.stringMatching(/^\/pipe was not/) },
    })
  })

  test('a missing repository is not replaced by a new one, and works again when its disk is back', async ({
    node,
    server,
  }) => {
    server.write('level.dat', 'old')
    const backup = await server.backUp()
    const [place, away] = ['repository', 'away'].map((name) => join(node.dataDir, 'backups', name)) as [string, string]
    renameSync(place, away)
    mkdirSync(place)
    // As after a reboot.
    await node.detach()
    await node.start()

    const failed = [
      await server.ended(await server.start()),
      await server.restore(backup),
      await server.ended(
        (await node.client.send(calls.verifyBackup, { params: { ...server.params, backup: backup.id } })).body,
      ),
    ]
    const listed = await node.client.send(calls.listBackupFiles, { params: { ...server.params, backup: backup.id } })

    for (const { error } of [...failed, listed.body])
      expect(error).toMatchObject({ metadata: { reason: expect.stringContaining('Is its disk mounted?') } })
    expect(readdirSync(place)).toEqual([])
    expect(await server.list()).toHaveLength(1)
    expect((await server.list())[0]).not.toHaveProperty('verification')
    rmSync(place, { recursive: true })
    renameSync(away, place)
    server.write('level.dat', 'new')
    expect((await server.restore(backup)).state).toBe('done')
    expect(server.read('level.dat')).toBe('old')
  })

  test('another repository in the same place is refused, and one of an earlier version is remembered', async ({
    node,
    server,
  }) => {
    const dir = join(node.dataDir, 'backups')
    await server.backUp('first')
    // Versions before did not write it.
    rmSync(join(dir, 'repository-id'))
    await node.detach()
    await node.start()
    await server.backUp('second')
    renameSync(join(dir, 'repository'), join(dir, 'away'))
    const id = readFileSync(join(dir, 'repository-id'), 'utf8')
    rmSync(join(dir, 'repository-id'))
    await server.backUp('in another')
    writeFileSync(join(dir, 'repository-id'), id)
    await node.detach()
    await node.start()

    const job = await server.ended(await server.start())

    expect(job.error?.metadata?.reason).toMatch(/^this is another repository than before/)
  })
})
