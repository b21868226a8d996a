import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openDescriptors, test } from '../../testing/test-directory.ts'
import { parsePath } from '../path/safe-path.ts'
import { getBytes, readChunkBytes } from './bytes.ts'

const chunk = readChunkBytes

test.for([0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 5 * chunk + 7])(
  'a file of %i bytes is read completely',
  async (size, { fixture: { files, inside } }) => {
    const content = randomBytes(size)
    writeFileSync(join(inside, 'a'), content)

    const read: Buffer[] = []
    for await (const part of getBytes(await files.open(parsePath('a'), 'read'))) read.push(Buffer.from(part))

    expect(Buffer.concat(read).equals(content)).toBe(true)
  },
)

test.for([
  [0, 0],
  [0, 1],
  [5, 5],
  [7, chunk + 7],
  [chunk, 3 * chunk],
  [3 * chunk - 1, 10 * chunk],
  [9 * chunk, 10 * chunk],
])('a range from %i to %i is read exactly', async ([start, end], { fixture: { files, inside } }) => {
  const content = randomBytes(3 * chunk)
  writeFileSync(join(inside, 'a'), content)

  const read: Buffer[] = []
  for await (const part of getBytes(await files.open(parsePath('a'), 'read'), { start, end })) {
    read.push(Buffer.from(part))
  }

  expect(Buffer.concat(read).equals(content.subarray(start, end))).toBe(true)
})

test('a slow reader of a connection gets every byte unchanged', async ({ fixture: { files, inside } }) => {
  const content = randomBytes(40 * chunk + 3)
  writeFileSync(join(inside, 'a'), content)
  const server = createServer((_, response) => {
    void files.open(parsePath('a'), 'read').then((file) => getBytes(file).pipe(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const read = createHash('sha256')
  await new Promise<void>((resolve, reject) => {
    const asking = request({ port, host: '127.0.0.1' }, (response) => {
      response.on('end', resolve).on('error', reject)
      let parts = 0
      response.on('data', (part: Buffer) => {
        read.update(part)
        // Fills the sender's buffers again and again.
        if (++parts % 8 === 0) {
          response.pause()
          setImmediate(() => response.resume())
        }
      })
    })
    asking.on('error', reject).end()
  })
  server.close()

  expect(read.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'))
})

test('a reader that goes away at any moment leaves no descriptor', async ({ fixture: { files, inside } }) => {
  writeFileSync(join(inside, 'a'), Buffer.alloc(4 * chunk))
  const before = openDescriptors()

  for (const wanted of [0, 1, 2, 3]) {
    const bytes = getBytes(await files.open(parsePath('a'), 'read'))
    let got = 0
    if (wanted > 0) for await (const _ of bytes) if (++got === wanted) break
    const closed = new Promise<void>((resolve) => (bytes.closed ? resolve() : bytes.once('close', resolve)))
    bytes.destroy()
    await closed
  }
  const aborting = new AbortController()
  const bytes = getBytes(await files.open(parsePath('a'), 'read'), { signal: aborting.signal })
  const failed = new Promise((resolve) => bytes.once('error', resolve))
  aborting.abort()
  await failed

  await expect.poll(openDescriptors).toBe(before)
})
