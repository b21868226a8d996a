import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import * as calls from '@innkeeper/contract/servers/files'
import { getTrash, getTrashFile, restoreTrashEntry } from '@innkeeper/contract/servers/trash'
import { expect } from 'vitest'
import { testOnSharedNode } from '../testing/node-test.ts'

const id = '0a0a0a0a'
const user: RequiredPermission[] = ['viewServer', 'viewServerFiles', 'putServerFiles', 'sftpServer', 'editServerData']
const params = { id }
const at = (path: string) => ({ params: { id, path } })

/** A node with one server whose template keeps files from users, and its directory. */
const test = testOnSharedNode.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, 'true', { deniedFiles: ['Pal.sh', '/cfg/secret.txt'] })
    const inside = join(node.dataDir, 'servers', id)
    mkdirSync(join(inside, 'cfg'), { recursive: true })
    writeFileSync(join(inside, 'Pal.sh'), 'game')
    writeFileSync(join(inside, 'cfg/secret.txt'), 'secret')
    writeFileSync(join(inside, 'cfg/open.txt'), 'open')
    symlinkSync('Pal.sh', join(inside, 'link'))
    await use(inside)
    await node.client.asPanel('DELETE', `/daemon/server/${id}`)
  },
})

test('a user cannot read, write, delete, move or pack a denied file', async ({ node: { client }, inside }) => {
  const answers = [
    await client.send(calls.getFile, { ...at('Pal.sh'), permissions: user }),
    await client.send(calls.getFile, { ...at('link'), permissions: user }),
    await client.send(calls.putFile, { ...at('Pal.sh'), permissions: user, body: 'x' }),
    await client.send(calls.putFile, { ...at('link'), permissions: user, body: 'x' }),
    await client.send(calls.deleteFile, { ...at('cfg/secret.txt'), permissions: user }),
    await client.send(calls.deleteFile, { ...at('cfg'), permissions: user }),
    await client.send(calls.moveFile, {
      params,
      permissions: user,
      body: { from: 'Pal.sh', to: 'x', existing: 'refuse' },
    }),
    await client.send(calls.moveFile, {
      params,
      permissions: user,
      body: { from: 'cfg', to: 'x', existing: 'refuse' },
    }),
    await client.send(calls.createUpload, {
      params,
      permissions: user,
      headers: {
        'upload-length': '0',
        'upload-metadata': `path ${Buffer.from('new/Pal.sh').toString('base64')}`,
      },
    }),
  ]

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
    answers.map(() => [403, 'ErrFileDenied']),
  )
  expect(readFileSync(join(inside, 'Pal.sh'), 'utf8')).toBe('game')
  expect(readFileSync(join(inside, 'cfg/secret.txt'), 'utf8')).toBe('secret')
})

test('archives and search of a user leave out denied files, and no archive brings one', async ({ node, inside }) => {
  const { client } = node
  await client.send(calls.archiveFiles, { ...at('all.zip'), permissions: user, body: ['cfg', 'Pal.sh'] })
  await client.send(calls.archiveFiles, { ...at('forged.zip'), body: ['Pal.sh'] })
  mkdirSync(join(inside, 'out'))

  const unpacked = await client.send(calls.extractFile, {
    ...at('all.zip'),
    permissions: user,
    query: { destination: 'out' },
  })
  const forged = await client.send(calls.extractFile, {
    ...at('forged.zip'),
    permissions: user,
    query: { destination: 'out' },
  })
  const zip = await client.fetch(calls.downloadArchive, { params, permissions: user, body: ['cfg'] })
  const bytes = Buffer.from(await zip.body.arrayBuffer()).toString('latin1')
  const found = await client.send(calls.searchFiles, { params, permissions: user, query: { path: '', text: 'secret' } })

  expect(forged.body.error?.code).toBe('ErrFileDenied')
  expect(existsSync(join(inside, 'out/Pal.sh'))).toBe(false)
  expect([unpacked.status, existsSync(join(inside, 'out/cfg/secret.txt'))]).toEqual([204, false])
  expect([bytes.includes('open.txt'), bytes.includes('secret.txt')]).toEqual([true, false])
  expect(found.body.found).toEqual([])
})

test('a denied file in the trash is neither read nor restored by a user', async ({ node: { client }, inside }) => {
  await client.send(calls.deleteFile, at('Pal.sh'))
  const { entries } = (await client.send(getTrash, { params })).body
  const entry = { id, entry: entries[0].id }

  const read = await client.send(getTrashFile, { params: { ...entry, path: 'Pal.sh' }, permissions: user })
  const restored = await client.send(restoreTrashEntry, {
    params: entry,
    permissions: user,
    body: { existing: 'refuse' },
  })
  const byAdmin = await client.send(restoreTrashEntry, { params: entry, body: { existing: 'refuse' } })

  expect([read, restored].map(({ body }) => body.error.code)).toEqual(['ErrFileDenied', 'ErrFileDenied'])
  expect([byAdmin.status, readFileSync(join(inside, 'Pal.sh'), 'utf8')]).toEqual([204, 'game'])
})

test('a denied file is not reached over the live socket', async ({ node: { client }, inside }) => {
  const watcher = await client.watch(id, user)
  watcher.socket.send(JSON.stringify({ type: 'file', action: 'delete', path: 'Pal.sh' }))

  await expect.poll(() => JSON.stringify(watcher.received), { timeout: 10_000 }).toContain('does not allow access')

  watcher.socket.close()
  expect(existsSync(join(inside, 'Pal.sh'))).toBe(true)
})

test('an administrator is not restricted', async ({ node: { client }, inside }) => {
  const read = await client.send(calls.getFile, at('Pal.sh'))
  const written = await client.send(calls.putFile, { ...at('cfg/secret.txt'), body: 'new' })

  expect([read.body, written.status]).toEqual(['game', 204])
  expect(readFileSync(join(inside, 'cfg/secret.txt'), 'utf8')).toBe('new')
})
