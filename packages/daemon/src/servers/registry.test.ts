import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { test } from '../testing/node-test.ts'

test('what a node had not finished writing when it ended is removed when it comes back', async ({ node }) => {
  const [one, two] = ['0a0a0a0a', '0b0b0b0b']
  for (const id of [one, two]) await node.client.create(id, 'true')
  await node.detach()
  const folders = [join(node.dataDir, 'servers', one), join(node.dataDir, 'servers', two, 'world')]
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, '.innkeeper-01234567-01234567-0123-4567-89ab-0123456789ab.tmp'), 'half')
    await writeFile(join(folder, 'level.dat'), 'whole')
  }

  await node.start()

  for (const folder of folders) await expect.poll(() => readdir(folder)).toEqual(['level.dat'])
})
