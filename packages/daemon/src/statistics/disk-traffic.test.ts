import { expect, test } from 'vitest'
import { diskTrafficOf, parseDiskTraffic } from './disk-traffic.ts'

const text = `rchar: 8403392
wchar: 8388700
syscr: 29
syscw: 11
read_bytes: 4096
write_bytes: 8388608
cancelled_write_bytes: 77
`

test('what reached a disk counts, not what was read from memory or taken back', () => {
  expect(parseDiskTraffic(text)).toEqual({ read: 4096, written: 8388608 })
})

test('what a kernel does not tell is not zero', () => {
  expect(parseDiskTraffic('rchar: 1\nwchar: 1\n')).toBeUndefined()
})

test('one process of which nobody may know makes the sum unknown', () => {
  const read = (pid: number) => (pid === 3 ? undefined : { read: pid, written: 10 * pid })

  expect(diskTrafficOf([1, 2], read)).toEqual({ read: 3, written: 30 })
  expect(diskTrafficOf([1, 2, 3], read)).toBeUndefined()
})
