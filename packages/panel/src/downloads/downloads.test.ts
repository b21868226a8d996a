import { logout } from '@innkeeper/contract/accounts/auth'
import * as backups from '@innkeeper/contract/backups/backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import * as files from '@innkeeper/contract/servers/files'
import { expect } from 'vitest'
import { type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

async function linkTo(testPanel: TestPanel, server: string, paths: string[], as: TestUser): Promise<string> {
  const { answer } = await testPanel.send(files.createDownload, { params: { id: server }, body: { paths } }, as)
  return answer.url
}

/** Follows a link as a browser does: without credentials. */
const follow = (testPanel: TestPanel, url: string, method: 'GET' | 'HEAD' = 'GET') =>
  testPanel.panel.app.inject({ method, url })

test('a link returns a file once, without credentials', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(files.getFile, (_request, response) => {
    const name = 'attachment; filename="a b.txt"'
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': name }).end('bytes')
  })
  const url = await linkTo(testPanel, id, ['cfg/a b.txt'], admin)

  const head = await follow(testPanel, url, 'HEAD')
  const first = await follow(testPanel, url)
  const second = await follow(testPanel, url)

  expect(head.statusCode).toBe(404)
  expect([first.statusCode, first.body, first.headers['content-disposition']]).toEqual([
    200,
    'bytes',
    'attachment; filename="a b.txt"',
  ])
  expect(first.headers).toMatchObject({ 'content-security-policy': "default-src 'none'; sandbox" })
  expect([second.statusCode, second.json().error.code]).toEqual([404, 'ErrLinkExpired'])
  expect(testPanel.node.received).toMatchObject([{ method: 'GET', url: `/daemon/server/${id}/file/cfg/a%20b.txt` }])
})

test('of concurrent requests with one link one succeeds', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(files.getFile, (_request, response) => void response.end('bytes'))
  const url = await linkTo(testPanel, id, ['a'], admin)

  const all = await Promise.all(Array.from({ length: 8 }, () => follow(testPanel, url)))

  expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(7).fill(404)])
})

test('a folder is a zip with its name, several paths are a zip with the server’s name', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const id = await testPanel.server({ name: 'Lobby "1"' })
  const bodies: unknown[] = []
  testPanel.node.answer(files.getFile, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('[]')
  })
  testPanel.node.answer(files.downloadArchive, async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    bodies.push(JSON.parse(Buffer.concat(parts).toString()))
    response.writeHead(200, { 'content-type': 'application/zip' }).end('zip')
  })

  const folder = await follow(testPanel, await linkTo(testPanel, id, ['/worlds/nether/'], admin))
  const several = await follow(testPanel, await linkTo(testPanel, id, ['a', 'b'], admin))
  const all = await follow(testPanel, await linkTo(testPanel, id, ['/'], admin))

  expect([folder, several, all].map(({ body, headers }) => [body, headers['content-disposition']])).toEqual([
    ['zip', `attachment; filename="nether.zip"; filename*=UTF-8''nether.zip`],
    ['zip', `attachment; filename="Lobby _1_.zip"; filename*=UTF-8''Lobby%20%221%22.zip`],
    ['zip', `attachment; filename="Lobby _1_.zip"; filename*=UTF-8''Lobby%20%221%22.zip`],
  ])
  expect(bodies).toEqual([['/worlds/nether/'], ['a', 'b'], ['/']])
})

test('a link has the current permissions of the user who created it', async ({ testPanel }) => {
  const id = await testPanel.server()
  const user = await testPanel.createUser({ on: { [id]: ['viewServerFiles'] } })
  const blind = await testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })
  const [revoked, ended] = [await linkTo(testPanel, id, ['a'], user), await linkTo(testPanel, id, ['a'], user)]

  await testPanel.grant(user.id, id, ['viewServerConsole'])
  const afterRevoking = await follow(testPanel, revoked)
  await testPanel.grant(user.id, id, ['viewServerFiles'])
  await testPanel.send(logout, {}, user)
  const afterLogout = await follow(testPanel, ended)

  expect([afterRevoking.statusCode, afterRevoking.json().error.code]).toEqual([403, 'ErrMissingScope'])
  expect([afterLogout.statusCode, afterLogout.json().error.code]).toEqual([404, 'ErrLinkExpired'])
  const response = await testPanel.send(files.createDownload, { params: { id }, body: { paths: ['a'] } }, blind)
  expect(response.refusal).toBe('ErrMissingScope')
  expect(testPanel.node.received).toEqual([])
})

test('a backup is downloaded as an archive with the server’s name, by who may view backups', async ({ testPanel }) => {
  const id = await testPanel.server({ name: 'Lobby' })
  const user = await testPanel.createUser({ on: { [id]: ['viewServerBackups'] } })
  const other = await testPanel.createUser({ on: { [id]: ['viewServerFiles'] } })
  testPanel.node.answer(backups.downloadBackup, ({ url }, response) => {
    const name = url?.includes('format=tar.zst') ? 'x.tar.zst' : 'x.zip'
    response.writeHead(200, { 'content-disposition': `attachment; filename="${name}"` }).end(name)
  })
  const link = async (path: string, as: TestUser, format: backups.BackupArchive = 'zip') =>
    await testPanel.send(backups.createBackupDownload, { params: { id, backup }, body: { path, format } }, as)
  const backup = '0123456789abcdef'

  const all = await follow(testPanel, (await link('', user)).answer.url)
  const folder = await follow(testPanel, (await link('a b', user)).answer.url)
  const tar = await follow(testPanel, (await link('', user, 'tar.zst')).answer.url)
  const refused = await link('', other)

  expect([all, folder, tar].map(({ body, headers }) => [body, headers['content-disposition']])).toEqual([
    ['x.zip', `attachment; filename="Lobby.zip"; filename*=UTF-8''Lobby.zip`],
    ['x.zip', 'attachment; filename="x.zip"'],
    ['x.tar.zst', `attachment; filename="Lobby.tar.zst"; filename*=UTF-8''Lobby.tar.zst`],
  ])
  expect(refused.refusal).toBe('ErrMissingScope')
  expect(testPanel.node.received.map(({ url }) => url)).toEqual([
    `/daemon/server/${id}/backup/download/${backup}?path=&format=zip`,
    `/daemon/server/${id}/backup/download/${backup}?path=a+b&format=zip`,
    `/daemon/server/${id}/backup/download/${backup}?path=&format=tar.zst`,
  ])
})

test('a link expires', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const url = await linkTo(testPanel, id, ['a'], admin)
  await testPanel.db
    .updateTable('download_tickets')
    .set({ expires_at: Date.now() - 1 })
    .execute()

  expect((await follow(testPanel, url)).json().error.code).toBe('ErrLinkExpired')
  expect((await follow(testPanel, '/api/downloads/none')).statusCode).toBe(404)
  await linkTo(testPanel, id, ['b'], admin)
  expect(await testPanel.db.selectFrom('download_tickets').selectAll().execute()).toHaveLength(1)
})

test('an error of the node is returned, and no token of the panel is exposed', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.refuse(files.getFile, new Refusal('ErrFileNotFound', { path: '/a' }))
  const url = await linkTo(testPanel, id, ['a'], admin)

  const [row] = await testPanel.db.selectFrom('download_tickets').selectAll().execute()
  const answer = await follow(testPanel, url)

  expect(JSON.stringify(row)).not.toContain(url.split('/').at(-1))
  expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'ErrFileNotFound'])
})
