import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import * as calls from '@innkeeper/contract/servers/files'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { getTrash, restoreTrashEntry, type TrashEntry } from '@innkeeper/contract/servers/trash'
import { test as base, describe, expect, vi } from 'vitest'
import { Isolation } from '../isolation/isolation.ts'
import { program, TestNode } from '../testing/daemon.ts'

const id = '0a0a0a0a'
const params = { id }
const mebi = 1024 ** 2
/** A virtual machine in emulation is slow. */
const waitMs = 45_000
const isRoot = process.getuid?.() === 0

const fileSystems = {
  ext4: ['mkfs.ext4', '-q', '-O', 'project,quota', '-E', 'quotatype=prjquota', '-m', '0'],
  xfs: ['mkfs.xfs', '-q'],
} as const

/** A small disk of its own, mounted with project quotas. */
class QuotaDisk implements AsyncDisposable {
  readonly folder: string
  readonly mountPoint: string

  private constructor(folder: string) {
    this.folder = folder
    this.mountPoint = join(folder, 'disk')
  }

  /** Returns the reason as text when this kernel has no quotas of the file system. */
  static async mount(type: keyof typeof fileSystems): Promise<QuotaDisk | string> {
    const disk = new QuotaDisk(await mkdtemp(join(tmpdir(), 'innkeeper-quota-')))
    chmodSync(disk.folder, 0o755)
    const image = join(disk.folder, 'image')
    writeFileSync(image, '')
    truncateSync(image, 512 * mebi)
    mkdirSync(disk.mountPoint)
    const [make, ...options] = fileSystems[type]
    execFileSync(make, [...options, image], { stdio: ['ignore', 'ignore', 'pipe'] })
    // The loop device is detached with the last unmount.
    const { status, stderr } = spawnSync('mount', ['-o', 'loop,prjquota', image, disk.mountPoint], { encoding: 'utf8' })
    if (status === 0) return disk
    await disk[Symbol.asyncDispose]()
    return `this kernel cannot mount ${type} with project quotas: ${stderr.trim()}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (readFileSync('/proc/self/mounts', 'utf8').includes(` ${this.mountPoint} `))
      execFileSync('umount', ['-l', this.mountPoint])
    await rm(this.folder, { recursive: true, force: true })
  }
}

const limited = (disk: number | undefined) => ({ environment: { type: 'standard', limits: { disk } } })
const put = (node: TestNode, path: string, bytes: number) =>
  node.client.send(calls.putFile, { params: { id, path }, body: Buffer.alloc(bytes, 'x') })

/** The limit and the used space of each project with a limit, in KiB. */
function limitsOn(mountPoint: string): { used: number; limit: number }[] {
  const report = execFileSync('repquota', ['-P', '-n', '-O', 'csv', mountPoint], { encoding: 'utf8' })
  return report
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([project]) => Number(project?.slice(1)) >= 1_900_000_000)
    .map((fields) => ({ used: Number(fields[3]), limit: Number(fields[5]) }))
}

describe.for(['ext4', 'xfs'] as const)('on %s', (type) => {
  const test = base.extend<{ disk: QuotaDisk; node: TestNode }>({
    disk: async ({ skip }, use) => {
      skip(!isRoot, 'only root may mount a disk')
      const mounted = await QuotaDisk.mount(type)
      if (typeof mounted === 'string') return skip(mounted)
      await using disk = mounted
      await use(disk)
    },
    node: async ({ disk }, use) => {
      await using node = await TestNode.start({ parentDir: disk.mountPoint, diskLimits: { everyMs: 200 } })
      await use(node)
    },
  })

  /** Waits until the limit is set in the file system. */
  const untilLimited = async (disk: QuotaDisk, limitMebibytes: number) => {
    await vi.waitFor(() => expect(limitsOn(disk.mountPoint)).toMatchObject([{ limit: limitMebibytes * 1024 }]), {
      timeout: waitMs,
    })
  }

  test('the node says that it enforces limits, and leaves nothing of its probe', async ({ disk }) => {
    const dataDir = join(disk.mountPoint, 'data')

    const isolation = await Isolation.open({ dataDir })
    const { limits } = isolation.abilities
    isolation.close()

    expect(limits.disk).toEqual({ enforced: true })
    expect(readdirSync(dataDir)).toEqual([])
    expect(limitsOn(disk.mountPoint)).toEqual([])
  })

  test('a server gets an error at its limit, and can write again after it deleted files', async ({ disk, node }) => {
    const script = [
      'dd if=/dev/zero of=world bs=1M count=40 2>&1',
      'echo old > settings && echo "written: $?"',
      'rm world && echo new > settings && echo "deleted: $(cat settings)"',
    ].join('; ')
    await node.client.create(id, { command: `sh -c '${script}'` }, limited(20))
    await untilLimited(disk, 20)
    const viewer = await node.client.watch(id)

    await node.client.send(startServer, { params, query: { wait: true } })
    await viewer.untilText('deleted: new')

    expect(viewer.text).toMatch(/Disk quota exceeded|No space left on device/)
    expect(viewer.text).not.toContain('does not enforce')
  })

  test('Innkeeper refuses writes beyond the limit, and the old file stays whole', async ({ disk, node }) => {
    await node.client.create(id, { command: program('echo') }, limited(20))
    await untilLimited(disk, 20)
    await put(node, 'a', 12 * mebi)

    const replaced = await put(node, 'a', 10 * mebi)
    const created = await put(node, 'b', 10 * mebi)
    // Measured while the refused file was written, it would count.
    const usage = await vi.waitFor(
      async () => {
        const { body } = await node.client.send(calls.getDiskUsage, { params })
        expect(body.limit.usedBytes).toBeLessThan(13 * mebi)
        return body.limit
      },
      { timeout: waitMs },
    )

    const refused = { status: 507, body: { error: { code: 'ErrDiskLimit' } } }
    expect([replaced, created]).toMatchObject([refused, refused])
    expect(readdirSync(join(node.dataDir, 'servers', id))).toEqual(['a'])
    expect(statSync(join(node.dataDir, 'servers', id, 'a')).size).toBe(12 * mebi)
    expect(usage.limitBytes).toBe(20 * mebi)
    expect(usage.usedBytes).toBeGreaterThanOrEqual(12 * mebi)
  })

  test('files that were there before the limit count, and a removed server leaves no limit', async ({ disk, node }) => {
    const { client } = node
    await client.create(id, { command: program('echo') })
    const inside = join(node.dataDir, 'servers', id)
    mkdirSync(join(inside, 'world', 'region ä'), { recursive: true })
    writeFileSync(join(inside, 'world', 'region ä', 'r.0.0.mca'), Buffer.alloc(7 * mebi, 'x'))
    writeFileSync(join(inside, 'log'), Buffer.alloc(mebi, 'x'))
    const run = { command: program('echo') }

    await client.send(putDefinition, { params, body: { type: 'test', run, ...limited(30) } })
    await untilLimited(disk, 30)
    const [before] = limitsOn(disk.mountPoint)
    await client.send(putDefinition, { params, body: { type: 'test', run, ...limited(50) } })
    await untilLimited(disk, 50)
    await client.asPanel('DELETE', `/daemon/server/${id}`)
    await vi.waitFor(() => expect(limitsOn(disk.mountPoint).filter(({ limit }) => limit > 0)).toEqual([]), {
      timeout: waitMs,
    })

    expect(before?.used).toBeGreaterThanOrEqual(8 * 1024)
    expect(before?.used).toBeLessThan(9 * 1024)
    expect(existsSync(inside)).toBe(false)
  })

  test('uploads, folders and files from the trash find their way into the project', async ({ disk, node }) => {
    const { client } = node
    await client.create(id, { command: program('echo') }, limited(30))
    await untilLimited(disk, 30)
    const inside = join(node.dataDir, 'servers', id)
    mkdirSync(join(inside, 'a', 'b'), { recursive: true })
    await put(node, 'a/b/deleted', mebi)

    await client.send(calls.deleteFile, { params: { id, path: 'a/b/deleted' } })
    await client.send(calls.deleteFile, { params: { id, path: 'a' } })
    const { body: trash } = await client.send(getTrash, { params })
    const deleted = trash.entries.find(({ path }: TrashEntry) => path.endsWith('deleted'))
    const restored = await client.send(restoreTrashEntry, { params: { id, entry: deleted.id }, body: {} })
    const uploaded = await client.send(calls.createUpload, {
      params,
      headers: {
        'upload-length': String(mebi),
        'upload-metadata': `path ${Buffer.from('uploaded').toString('base64')}`,
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
      },
      body: Buffer.alloc(mebi, 'y'),
    })

    expect(restored.status).toBe(204)
    expect(uploaded.status).toBe(201)
    expect(statSync(join(inside, 'a', 'b', 'deleted')).size).toBe(mebi)
    expect(statSync(join(inside, 'uploaded')).size).toBe(mebi)
    const [limit] = limitsOn(disk.mountPoint)
    expect(limit?.used).toBeGreaterThanOrEqual(2 * 1024)
  })
})
