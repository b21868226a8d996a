import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/servers/files'
import { expect, vi } from 'vitest'
import { test } from '../testing/node-test.ts'
import { makeDeepTree } from '../testing/test-directory.ts'

const id = '0a0a0a0a'

test('a tree of 6,000 levels is measured, and refused by an archive', async ({ node: { client, dataDir } }) => {
  await client.create(id, 'true')
  const inside = join(dataDir, 'servers', id)
  const { depth } = makeDeepTree(join(inside, 'deep'), 60)
  writeFileSync(join(inside, 'a'), Buffer.alloc(1000))

  const archived = await client.send(calls.archiveFiles, { params: { id, path: 'all.zip' }, body: ['deep', 'a'] })
  const usage = await vi.waitUntil(
    async () => {
      const { body } = await client.send(calls.getDiskUsage, { params: { id } })
      return body.measuredAt !== undefined && body
    },
    { timeout: 20_000 },
  )

  const error = { code: 'ErrArchiveTooLarge', metadata: { limit: 'the directory depth' } }
  expect(archived).toMatchObject({ status: 400, body: { error } })
  expect(readdirSync(inside).toSorted()).toEqual(['a', 'deep'])
  expect(usage).toMatchObject({ folders: depth, bytes: 1000 + 60 * ('deep'.length + '/etc'.length) })

  // Too deep for the cleanup of the test.
  expect((await client.asPanel('DELETE', `/daemon/server/${id}`)).status).toBe(204)
})
