import { expect, test } from 'vitest'
import { settleAll } from './settle-all.ts'

test('rejects only after all promises have settled', async () => {
  const slow = Promise.withResolvers<string>()
  const seen: string[] = []
  const all = settleAll([Promise.reject(new Error('no')), slow.promise.finally(() => seen.push('done'))])
  const told = expect(all)
    .rejects.toThrow('no')
    .then(() => seen.push('told'))

  await new Promise((resolve) => setImmediate(resolve))
  seen.push('waited')
  slow.resolve('yes')
  await told

  expect(seen).toEqual(['waited', 'done', 'told'])
})
