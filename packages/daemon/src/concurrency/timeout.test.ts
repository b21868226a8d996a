import { expect, test } from 'vitest'
import { abortable, endsWithin, withTimeout } from './timeout.ts'

const never = new Promise<never>(() => {})
const error = () => new Error('too slow')

test('an operation that ends in time gives its result', async () => {
  const { signal } = new AbortController()

  expect(await abortable(Promise.resolve('done'), signal)).toBe('done')
  expect(await withTimeout(Promise.resolve('done'), { ms: 60_000, signal, error })).toBe('done')
  expect(await endsWithin(Promise.resolve(), 60_000)).toBe(true)
})

test('an operation that fails in time rejects with its error', async () => {
  const { signal } = new AbortController()
  const failing = () => Promise.reject(new Error('the disk is full'))

  await expect(abortable(failing(), signal)).rejects.toThrow('the disk is full')
  await expect(withTimeout(failing(), { ms: 60_000, error })).rejects.toThrow('the disk is full')
  await expect(endsWithin(failing(), 60_000)).rejects.toThrow('the disk is full')
})

test('an operation that is late or aborted is no longer waited for', async () => {
  const aborting = new AbortController()
  const waiting = [
    abortable(never, aborting.signal),
    withTimeout(never, { ms: 60_000, signal: aborting.signal, error }),
  ]
  aborting.abort(new Error('aborted'))

  for (const wait of waiting) await expect(wait).rejects.toThrow('aborted')
  await expect(abortable(never, aborting.signal)).rejects.toThrow('aborted')
  await expect(withTimeout(never, { ms: 1, error })).rejects.toThrow('too slow')
  expect(await endsWithin(never, 1)).toBe(false)
})
