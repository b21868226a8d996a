import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { test } from '../testing/ground.ts'
import { DiskPace, isLocal, parseMounts } from './disk-pace.ts'
import { HeldFolder } from './held-folder.ts'

const mounted = parseMounts(
  [
    '28 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw',
    '40 28 0:40 / /srv/games rw,relatime shared:7 - nfs4 10.0.0.1:/games rw',
    '41 40 0:41 / /srv/games/fast rw,relatime - xfs /dev/sdb rw',
    '42 28 0:42 / /srv/with\\040space rw - tmpfs tmpfs rw',
    '43 28 0:43 / /srv/twice rw - ext4 /dev/sdc rw',
    '44 43 0:44 / /srv/twice rw - fuse.sshfs somebody rw',
    'nonsense',
    '',
  ].join('\n'),
)

describe('a folder is asked at once', () => {
  for (const folder of ['/', '/srv/games/fast', '/srv/games/fast/abc', '/srv/with space/abc', '/srv/gamesome']) {
    test(`on a disk of this machine: ${folder}`, () => {
      const others = folder === '/' ? mounted.slice(0, 1) : mounted
      expect(isLocal(folder, others)).toBe(true)
    })
  }
})

describe('threads wait', () => {
  for (const [folder, why] of [
    ['/srv/games/abc', 'for a disk of another machine'],
    ['/srv/twice/abc', 'for a program that stands in for a disk, before what it hides'],
    ['/srv', 'where another disk is mounted below'],
  ] as const) {
    test(`${why}: ${folder}`, () => {
      expect(isLocal(folder, mounted)).toBe(false)
    })
  }

  test('for all that nothing is known of', () => {
    expect(isLocal('/srv', [])).toBe(false)
  })

  test('for a disk that was slow a moment ago', async ({ ground: { inside } }) => {
    await using folder = await HeldFolder.open(inside)
    const pace = new DiskPace(folder, { slowMs: -1, restMs: Number.POSITIVE_INFINITY })
    const before = pace.isQuick

    const answer = pace.atOnce(() => 'late')

    expect(before).toBe(isLocal(inside, parseMounts(readFileSync('/proc/self/mountinfo', 'latin1'))))
    expect(answer).toBe('late')
    expect(pace.isQuick).toBe(false)
  })
})
