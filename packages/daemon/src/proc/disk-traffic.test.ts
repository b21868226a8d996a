import { expect, test } from 'vitest'
import { findDiskTraffic, parseDiskTraffic } from './disk-traffic.ts'

const text = `rchar: 8403392
wchar: 8388700
syscr: 29
syscw: 11
read_bytes: 4096
write_bytes: 8388608
cancelled_write_bytes: 77
`

test('real disk I/O counts, not the page cache or canceled writes', () => {
  expect(parseDiskTraffic(text)).toEqual({ read: 4096, written: 8388608 })
})

test('missing kernel counters are unknown, not zero', () => {
  expect(parseDiskTraffic('rchar: 1\nwchar: 1\n')).toBeUndefined()
})

test('one unreadable process makes the sum unknown', () => {
  const read = (pid: number) => (pid === 3 ? undefined : { read: pid, written: 10 * pid })

  expect(findDiskTraffic([1, 2], read)).toEqual({ read: 3, written: 30 })
  expect(findDiskTraffic([1, 2, 3], read)).toBeUndefined()
})
