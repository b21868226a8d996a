import { expect, test } from 'vitest'
import { isSupportedHash, passwords } from './passwords.ts'

test('a password matches its own hash only', async () => {
  const { hash, matches } = passwords()

  const stored = await hash('correct horse')

  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await matches('correct horse', stored)).toBe(true)
  expect(await matches('correct horsf', stored)).toBe(false)
  expect(await hash('correct horse')).not.toBe(stored)
})

test('no password matches an unknown account', async () => {
  expect(await passwords().matches('', undefined)).toBe(false)
})

test('a password that is longer than allowed does not match, even when its beginning does', async () => {
  const { hash, matches } = passwords()
  const longest = 'x'.repeat(255)

  expect(await matches(longest, await hash(longest))).toBe(true)
  expect(await matches(`${longest}x`, await hash(longest))).toBe(false)
})

test('when the queue is full, further requests are rejected and the queued ones complete', async () => {
  const { hash } = passwords({ concurrency: 1, queueLimit: 2 })

  const settled = await Promise.allSettled([hash('a'), hash('b'), hash('c'), hash('d')])

  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  expect(settled[3]).toMatchObject({ reason: { code: 'ErrTooManyRequests' } })
})

const [salt, tag] = ['c29tZXNhbHRzb21lc2FsdA', 'R3pJ0c8u3pQm3T0q8Y4o6mX8r5o1z9bq2n6o4x7y1cE']

test.each([
  [true, `$2y$10$${'a'.repeat(53)}`],
  [true, `$argon2id$v=19$m=102400,t=2,p=8$${salt}$${tag}`],
  [false, `$2y$31$${'a'.repeat(53)}`],
  [false, `$2x$10$${'a'.repeat(53)}`],
  [false, `$argon2id$v=19$m=9999999,t=2,p=8$${salt}$${tag}`],
  [false, `$argon2id$v=19$m=102400,t=99,p=8$${salt}$${tag}`],
  [false, `$argon2id$v=19$m=8,t=2,p=8$${salt}$${tag}`],
  [false, '5f4dcc3b5aa765d61d8327deb882cf99'],
])('whether an imported hash can be verified at a bearable cost is %s for %s', (isSupported, hash) => {
  expect(isSupportedHash(hash)).toBe(isSupported)
})
