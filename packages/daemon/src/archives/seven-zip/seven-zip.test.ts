import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { withSevenZipSlot } from './seven-zip.ts'

const { signal } = new AbortController()

/** Works until it is aborted. */
async function work(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

test('an archive of a server that takes too long is ended with a reason, and others have their turn', async () => {
  const slow = ['a', 'a', 'b'].map((key) => withSevenZipSlot(work, { key, signal, ms: 50 }))
  const [first] = await Promise.allSettled(slow)
  const other = await withSevenZipSlot(async () => 'unpacked', { key: 'c', signal })

  expect(first).toMatchObject({ reason: { code: 'ErrArchiveTooLarge', metadata: { limit: 'the time limit' } } })
  expect(other).toBe('unpacked')
})

test('a server has one thread at a time', async () => {
  const ending = new AbortController()
  const slow = withSevenZipSlot(work, { key: 'a', signal: ending.signal })
  const second = vi.fn(async () => {})
  const waiting = withSevenZipSlot(second, { key: 'a', signal })

  await withSevenZipSlot(async () => {}, { key: 'b', signal })

  expect(second).not.toHaveBeenCalled()
  ending.abort(new Error('over'))
  await expect(slow).rejects.toThrow('over')
  await waiting
})
