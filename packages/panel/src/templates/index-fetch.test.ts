import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { fetchIndex } from './index-fetch.ts'

test.for(['never answers', 'answers and then stops'])('an index that %s times out', async (kind) => {
  const listener = createServer((_, response) => {
    if (kind !== 'never answers') response.writeHead(200).write('[')
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const { port } = listener.address() as { port: number }

  const fetching = fetchIndex(new URL(`http://127.0.0.1:${port}/`), { version: '0', mayBePrivate: true, totalMs: 100 })

  await expect(fetching).rejects.toThrow('127.0.0.1 took too long')
  listener.closeAllConnections()
  listener.close()
})

test.for(['http://127.0.0.1:9/', 'http://localhost:9/'])(
  'an index at %s is not fetched when it must be public',
  async (url) => {
    const fetching = fetchIndex(new URL(url), { version: '0', mayBePrivate: false })

    await expect(fetching).rejects.toThrow('is not on the public internet')
  },
)
