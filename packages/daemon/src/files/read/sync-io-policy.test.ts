import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { test } from '../../testing/test-directory.ts'
import { DirHandle } from '../path/dir-handle.ts'
import { isLocal, parseMounts, SyncIoPolicy } from './sync-io-policy.ts'

const mounted = parseMounts(
  [
    '28 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw',
    '40 28 0:40 / /srv/games rw,relatime shared:7 - nfs4 10.0.0.1:/games rw',
    '41 40 253:0 / /srv/games/fast rw,relatime - xfs /dev/mapper/fast rw',
    '42 28 0:42 / /srv/with\\040space rw - tmpfs tmpfs rw',
    '43 28 8:16 / /srv/twice rw - ext4 /dev/sdb rw',
    '44 43 0:44 / /srv/twice rw - fuse.sshfs somebody rw',
    'nonsense',
    '',
  ].join('\n'),
)

/** A sysfs tree of block devices: their location, name and underlying devices. */
const disks = {
  '254:1': { mountPoint: 'pci0000:00/0000:00:02.0/virtio1/block/vda/vda1' },
  '8:16': { mountPoint: 'pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sdb', model: 'Samsung SSD' },
  '8:32': { mountPoint: 'platform/host3/session1/target3:0:0/3:0:0:0/block/sdc' },
  '252:0': { mountPoint: 'rbd/0/block/rbd0' },
  '259:1': { mountPoint: 'pci0000:00/0000:00:1f.0/nvme/nvme1/nvme1n1', model: 'Amazon Elastic Block Store' },
  '253:0': { mountPoint: 'virtual/block/dm-0', slaves: ['8:16'] },
  '253:1': { mountPoint: 'virtual/block/dm-1', slaves: ['8:16', '8:32'] },
  '7:0': { mountPoint: 'virtual/block/loop0' },
} satisfies Record<string, { mountPoint: string; model?: string; slaves?: string[] }>

const sysfs = mkdtempSync(join(tmpdir(), 'sysfs-'))
afterAll(() => rmSync(sysfs, { recursive: true }))
mkdirSync(join(sysfs, 'dev/block'), { recursive: true })
for (const [device, disk] of Object.entries<{ mountPoint: string; model?: string; slaves?: string[] }>(disks)) {
  const folder = join(sysfs, 'devices', disk.mountPoint)
  mkdirSync(join(folder, 'slaves'), { recursive: true })
  symlinkSync(join('../../devices', disk.mountPoint), join(sysfs, 'dev/block', device))
  mkdirSync(join(folder, 'device'))
  if (disk.model) writeFileSync(join(folder, 'device/model'), `${disk.model}   \n`)
  for (const slave of disk.slaves ?? []) {
    mkdirSync(join(folder, 'slaves', slave))
    writeFileSync(join(folder, 'slaves', slave, 'dev'), `${slave}\n`)
  }
}

describe('a directory is read synchronously', () => {
  for (const folder of ['/', '/srv/games/fast', '/srv/games/fast/abc', '/srv/with space/abc', '/srv/gamesome']) {
    test(`on a local disk: ${folder}`, () => {
      const others = folder === '/' ? mounted.slice(0, 1) : mounted
      expect(isLocal(folder, others, sysfs)).toBe(true)
    })
  }
})

describe('asynchronous I/O is used', () => {
  for (const [folder, why] of [
    ['/srv/games/abc', 'for a disk of another machine'],
    ['/srv/twice/abc', 'for a FUSE file system, before the mount that it hides'],
    ['/srv', 'where another disk is mounted below'],
  ] as const) {
    test(`${why}: ${folder}`, () => {
      expect(isLocal(folder, mounted, sysfs)).toBe(false)
    })
  }

  for (const [device, fileSystem, why] of [
    ['8:32', 'ext4', 'on a disk over iSCSI'],
    ['252:0', 'xfs', 'on a disk of Ceph'],
    ['259:1', 'ext4', 'on a disk of a cloud'],
    ['253:1', 'xfs', 'on a volume with a disk over iSCSI in it'],
    ['7:0', 'ext4', 'in a file somewhere'],
    ['9:9', 'ext4', 'on a disk that sysfs does not know'],
    ['0:50', 'overlay', 'on layers that may be anywhere'],
  ] as const) {
    test(`for a directory ${why}`, () => {
      expect(isLocal('/srv', [{ mountPoint: '/', fileSystem, device }], sysfs)).toBe(false)
    })
  }

  test('for everything unknown', () => {
    expect(isLocal('/srv', [])).toBe(false)
  })

  test('for a disk that was slow recently', async ({ fixture: { inside } }) => {
    await using folder = await DirHandle.open(inside)
    const syncIo = new SyncIoPolicy(folder, { slowMs: -1, cooldownMs: Number.POSITIVE_INFINITY })
    const before = syncIo.mayBlock

    const answer = syncIo.runSync(() => 'late')

    expect(before).toBe(isLocal(inside, parseMounts(readFileSync('/proc/self/mountinfo', 'latin1'))))
    expect(answer).toBe('late')
    expect(syncIo.mayBlock).toBe(false)
  })
})
