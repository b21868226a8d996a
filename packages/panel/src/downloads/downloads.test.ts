import { logout } from '@innkeeper/contract/auth'
import * as files from '@innkeeper/contract/files'
import { Refusal } from '@innkeeper/contract/refusals'
import { expect } from 'vitest'
import { type House, type Person, test } from '../testing/house.ts'

async function linkTo(house: House, server: string, paths: string[], as: Person): Promise<string> {
  const { answer } = await house.send(files.createDownload, { params: { id: server }, body: { paths } }, as)
  return answer.url
}

/** Follows a link as a browser does: without any credential. */
const follow = (house: House, url: string, method: 'GET' | 'HEAD' = 'GET') => house.panel.app.inject({ method, url })

test('a link leads to a file once, without a credential', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  house.node.answer(files.getFile, (_request, response) => {
    const name = 'attachment; filename="a b.txt"'
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': name }).end('bytes')
  })
  const url = await linkTo(house, id, ['cfg/a b.txt'], admin)

  const look = await follow(house, url, 'HEAD')
  const first = await follow(house, url)
  const second = await follow(house, url)

  expect(look.statusCode).toBe(404)
  expect([first.statusCode, first.body, first.headers['content-disposition']]).toEqual([
    200,
    'bytes',
    'attachment; filename="a b.txt"',
  ])
  expect(first.headers).toMatchObject({ 'content-security-policy': "default-src 'none'; sandbox" })
  expect([second.statusCode, second.json().error.code]).toEqual([404, 'ErrLinkExpired'])
  expect(house.node.taken).toMatchObject([{ method: 'GET', url: `/daemon/server/${id}/file/cfg/a%20b.txt` }])
})

test('of many who come with one link at the same moment, one gets it', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  house.node.answer(files.getFile, (_request, response) => void response.end('bytes'))
  const url = await linkTo(house, id, ['a'], admin)

  const all = await Promise.all(Array.from({ length: 8 }, () => follow(house, url)))

  expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(7).fill(404)])
})

test('a folder comes as a zip of its name, and several things as one of the server’s name', async ({ house }) => {
  const admin = await house.admin()
  const id = await house.server({ name: 'Lobby "1"' })
  const bodies: unknown[] = []
  house.node.answer(files.getFile, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('[]')
  })
  house.node.answer(files.downloadArchive, async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    bodies.push(JSON.parse(Buffer.concat(parts).toString()))
    response.writeHead(200, { 'content-type': 'application/zip' }).end('zip')
  })

  const folder = await follow(house, await linkTo(house, id, ['/worlds/nether/'], admin))
  const several = await follow(house, await linkTo(house, id, ['a', 'b'], admin))
  const all = await follow(house, await linkTo(house, id, ['/'], admin))

  expect([folder, several, all].map(({ body, headers }) => [body, headers['content-disposition']])).toEqual([
    ['zip', `attachment; filename="nether.zip"; filename*=UTF-8''nether.zip`],
    ['zip', `attachment; filename="Lobby _1_.zip"; filename*=UTF-8''Lobby%20%221%22.zip`],
    ['zip', `attachment; filename="Lobby _1_.zip"; filename*=UTF-8''Lobby%20%221%22.zip`],
  ])
  expect(bodies).toEqual([['/worlds/nether/'], ['a', 'b'], ['/']])
})

test('a link is worth what whoever asked for it may do when it is used', async ({ house }) => {
  const id = await house.server()
  const person = await house.person({ on: { [id]: ['viewServerFiles'] } })
  const blind = await house.person({ on: { [id]: ['viewServerConsole'] } })
  const [revoked, ended] = [await linkTo(house, id, ['a'], person), await linkTo(house, id, ['a'], person)]

  await house.give(person.id, id, ['viewServerConsole'])
  const afterRevoking = await follow(house, revoked)
  await house.give(person.id, id, ['viewServerFiles'])
  await house.send(logout, {}, person)
  const afterLogout = await follow(house, ended)

  expect([afterRevoking.statusCode, afterRevoking.json().error.code]).toEqual([403, 'ErrMissingScope'])
  expect([afterLogout.statusCode, afterLogout.json().error.code]).toEqual([404, 'ErrLinkExpired'])
  const asked = await house.send(files.createDownload, { params: { id }, body: { paths: ['a'] } }, blind)
  expect(asked.refusal).toBe('ErrMissingScope')
  expect(house.node.taken).toEqual([])
})

test('a link is not good for long', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  const url = await linkTo(house, id, ['a'], admin)
  await house.db
    .updateTable('download_tickets')
    .set({ expires_at: Date.now() - 1 })
    .execute()

  expect((await follow(house, url)).json().error.code).toBe('ErrLinkExpired')
  expect((await follow(house, '/api/downloads/none')).statusCode).toBe(404)
  await linkTo(house, id, ['b'], admin)
  expect(await house.db.selectFrom('download_tickets').selectAll().execute()).toHaveLength(1)
})

test('what the node refuses is told, and its own token is nowhere to be read', async ({ house }) => {
  const [admin, id] = [await house.admin(), await house.server()]
  house.node.refuse(files.getFile, new Refusal('ErrFileNotFound', { path: '/a' }))
  const url = await linkTo(house, id, ['a'], admin)

  const [row] = await house.db.selectFrom('download_tickets').selectAll().execute()
  const answer = await follow(house, url)

  expect(JSON.stringify(row)).not.toContain(url.split('/').at(-1))
  expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'ErrFileNotFound'])
})
