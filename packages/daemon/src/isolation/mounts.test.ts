import { expect, test } from 'vitest'
import { findMount, readMount } from './mounts.ts'

const mountinfo = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro
30 22 8:2 / /var/lib rw,noatime shared:2 - xfs /dev/sda2 rw,attr2,inode64,prjquota
31 22 8:3 / /srv/with\\040blank rw - ext4 /dev/sdb1 rw,prjquota
32 22 8:4 / /srv/with\\040blank rw - btrfs /dev/sdc1 rw
`

test.for([
  ['/etc', '/', 'ext4'],
  ['/var/lib', '/var/lib', 'xfs'],
  ['/var/lib/innkeeper/servers', '/var/lib', 'xfs'],
  ['/var/library', '/', 'ext4'],
  ['/srv/with blank/a', '/srv/with blank', 'btrfs'],
])('%s is on the mount %s', ([path = '', mountPoint, type]) => {
  expect(findMount(mountinfo, path)).toMatchObject({ mountPoint, type })
})

test('options are those of the mount and of the file system', () => {
  expect(findMount(mountinfo, '/var/lib')?.options).toEqual(expect.arrayContaining(['noatime', 'prjquota']))
})

test('the mount of this machine is found', async () => {
  expect(await readMount('/proc/self')).toMatchObject({ mountPoint: '/proc', type: 'proc' })
})
