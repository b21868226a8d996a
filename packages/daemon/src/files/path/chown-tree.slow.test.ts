import { linkSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'vitest'
import { test } from '../../testing/test-directory.ts'
import { chownTree } from './chown-tree.ts'
import { DirHandle } from './dir-handle.ts'

const owner = { uid: 54_321, gid: 54_321 }

test('files, directories and links are changed, targets of links and files with several hard links are not', async ({
  fixture: { inside, outside },
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'only root may give files to others')
  mkdirSync(join(inside, 'world'))
  writeFileSync(join(inside, 'world/level.dat'), '')
  symlinkSync(join(outside, 'secret.txt'), join(inside, 'link'))
  linkSync(join(outside, 'abcd/secret.txt'), join(inside, 'second'))
  await using folder = await DirHandle.open(inside)

  await chownTree(folder, owner)

  for (const name of ['', 'world', 'world/level.dat', 'link']) expect(lstatSync(join(inside, name)).uid).toBe(owner.uid)
  for (const name of ['secret.txt', 'abcd/secret.txt']) expect(statSync(join(outside, name)).uid).toBe(0)
})

/** Alternates between a file of the server and a hard link to another file under one name. */
const swapper = `
  const { linkSync, renameSync, writeFileSync } = require('node:fs')
  const { inside, secret } = require('node:worker_threads').workerData
  for (;;) {
    writeFileSync(inside + '/own', '')
    renameSync(inside + '/own', inside + '/door')
    linkSync(secret, inside + '/hard')
    renameSync(inside + '/hard', inside + '/door')
  }`

test('a file of another user that replaces a checked one is not changed', async ({
  fixture: { inside, outside },
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'only root may give files to others')
  const secret = join(outside, 'secret.txt')
  const racing = new Worker(swapper, { eval: true, workerData: { inside, secret } })
  await using folder = await DirHandle.open(inside)

  for (let round = 0; round < 5_000 && statSync(secret).uid === 0; round++) await chownTree(folder, owner)
  await racing.terminate()

  expect(statSync(secret).uid).toBe(0)
})
