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

  const fetching = fetchIndex(new URL(`http://127.0.0.1:${port}/`), { version: '0', totalMs: 100 })

  await expect(fetching).rejects.toThrow('127.0.0.1 took too long')
  listener.closeAllConnections()
  listener.close()
})
