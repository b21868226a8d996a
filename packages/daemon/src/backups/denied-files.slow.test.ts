import * as calls from '@innkeeper/contract/backups/backups'
import { expect } from 'vitest'
import { test } from '../testing/backup-server.ts'

test('files that the template keeps from users are neither downloaded nor restored from a backup by them', async ({
  node,
  server,
}) => {
  await server.create('true', { deniedFiles: ['/cfg/secret.txt'] })
  server.write('cfg/secret.txt', 'secret')
  server.write('world/level.dat', 'old')
  const backup = await server.backUp()
  server.write('cfg/secret.txt', 'newer')
  server.write('world/level.dat', 'newer')
  const of = { ...server.params, backup: backup.id }
  const permissions = ['viewServerBackups', 'restoreServerBackups', 'viewServerFiles', 'putServerFiles'] as const
  const download = (path: string, as: typeof permissions | ['admin']) =>
    node.client.send(calls.downloadBackup, { params: of, query: { path }, permissions: [...as] })
  const restore = async (paths: string[]) => {
    const body = { paths, existing: 'replace' }
    const started = await node.client.send(calls.restoreBackup, { params: of, body, permissions: [...permissions] })
    return await server.ended(started.body)
  }

  const downloads = [
    await download('cfg/secret.txt', permissions),
    await download('cfg', permissions),
    await download('', permissions),
  ]
  const others = [await download('world/level.dat', permissions), await download('cfg/secret.txt', ['admin'])]
  const refused = await restore(['cfg'])
  const restored = await restore(['world'])

  expect(downloads.map(({ status, body }) => [status, body.error.code])).toEqual(
    downloads.map(() => [403, 'ErrFileDenied']),
  )
  expect(others.map(({ body }) => body)).toEqual(['old', 'secret'])
  expect(refused).toMatchObject({ state: 'failed', error: { code: 'ErrFileDenied' } })
  expect(restored.state).toBe('done')
  expect([server.read('cfg/secret.txt'), server.read('world/level.dat')]).toEqual(['newer', 'old'])
})
