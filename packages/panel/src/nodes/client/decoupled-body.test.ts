import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { decoupledBody } from './decoupled-body.ts'

test('chunks of a body arrive unchanged', async () => {
  const parts = Array.from({ length: 200 }, (_, at) => randomBytes(1 + at * 700))

  const arrived = await buffer(decoupledBody(Readable.from(parts)))

  expect(arrived.equals(Buffer.concat(parts))).toBe(true)
})

test('a body whose sender disconnects in the middle is aborted', async () => {
  const body = new PassThrough()
  const passing = decoupledBody(body)
  body.write('half')

  body.destroy()

  await expect(buffer(passing)).rejects.toMatchObject({ code: 'ErrCancelled' })
})

test('a body that is no longer wanted is drained', async () => {
  const body = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(64 * 1024)))
  const passing = decoupledBody(body)

  passing.destroy()

  await once(body, 'end')
})
