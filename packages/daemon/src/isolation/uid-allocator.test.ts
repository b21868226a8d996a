import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { allowTraversal, assertChownWorks, findClosedParent, UidAllocator } from './uid-allocator.ts'

const test = base.extend<{ dir: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: a fixture that needs no other
  dir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'innkeeper-users-'))
    await use(dir)
    await rm(dir, { recursive: true })
  },
})

test('no two servers share a user, even if their ids hash to the same number', ({ dir }) => {
  const users = new UidAllocator(dir, { first: 5000, count: 3 })

  const uids = ['00000000', '00000003', '00000006'].map((id) => users.getOwner(id).uid)

  expect(uids).toEqual([5000, 5001, 5002])
  expect(() => users.getOwner('00000009')).toThrow('all of the 3 users')
})

test('a server keeps its recorded user when the range changes', ({ dir }) => {
  const before = new UidAllocator(dir).getOwner('0a0a0a0a')

  const after = new UidAllocator(dir, { first: 7000, count: 10 })

  expect(after.getOwner('0a0a0a0a')).toEqual(before)
  expect(after.getOwner('0b0b0b0b').uid).toBeLessThan(7010)
})

test('the user of a deleted server is available again', ({ dir }) => {
  const users = new UidAllocator(dir, { first: 5000, count: 1 })
  users.getOwner('00000000')

  users.forget('00000000')

  expect(users.getOwner('00000001').uid).toBe(5000)
  expect(JSON.parse(readFileSync(join(dir, 'users.json'), 'utf8'))).toEqual({ '00000001': 5000 })
})

test('a damaged list is an error', ({ dir }) => {
  writeFileSync(join(dir, 'users.json'), '{"0a0a0a0a":')

  expect(() => new UidAllocator(dir)).toThrow()
  expect(readFileSync(join(dir, 'users.json'), 'utf8')).toBe('{"0a0a0a0a":')
})

test('other users can traverse the data directory to the servers, and list nothing on the way', ({ dir }) => {
  chmodSync(dir, 0o755)
  const dataDir = join(dir, 'data')
  mkdirSync(join(dataDir, 'servers'), { recursive: true })
  mkdirSync(join(dataDir, 'console'), { mode: 0o755 })
  writeFileSync(join(dataDir, 'panel.db'), '', { mode: 0o644 })

  allowTraversal(dataDir)

  expect(findClosedParent(dataDir)).toBeUndefined()
  const getMode = (name: string) => statSync(join(dataDir, name)).mode & 0o777
  expect(['', 'servers', 'console', 'panel.db'].map(getMode)).toEqual([0o711, 0o711, 0o700, 0o600])
})

test('a file system without owners is detected', () => {
  expect(() => assertChownWorks('/proc/self', { uid: 1_900_000_000, gid: 1_900_000_000 })).toThrow('/proc/self')
})

test('a parent directory that other users cannot traverse is reported', ({ dir }) => {
  chmodSync(dir, 0o700)
  mkdirSync(join(dir, 'data'))

  expect(findClosedParent(join(dir, 'data'))).toBe(dir)
})
