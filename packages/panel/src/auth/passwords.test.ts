import { expect, test } from 'vitest'
import { passwords } from './passwords.ts'

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
