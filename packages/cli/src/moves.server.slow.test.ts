import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cancelMove, getMove, goBack, type Move, moveServer } from '@innkeeper/contract/moves/moves'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { getServer } from '@innkeeper/contract/servers/servers'
import { bareDatabase } from '@innkeeper/panel/testing/databases'
import { expect, test, vi } from 'vitest'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

vi.setConfig({ testTimeout: 300_000 })

test('a server moves, goes back, and a move is canceled, with the database of a cluster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-moves-'))
  await using installation = await TestInstallation.start(undefined, { databaseUrl: await bareDatabase(folder) })
  await using node = await RemoteNode.join(installation)
  const body = { type: 'test', name: 'world', data: {}, run: { command: 'cat' }, environment: { type: 'standard' } }
  const { id } = await installation.send(createServer, { body: { ...body, node: 0 } })
  const params = { id }
  const getPath = (at: { readonly folder: string }) => join(at.folder, 'data', 'servers', id, 'level.dat')
  await mkdir(join(getPath(installation), '..'), { recursive: true })
  await writeFile(getPath(installation), 'level')
  await installation.send(startServer, { params, query: { wait: 'true' } })
  const move = async () => await installation.send(moveServer, { params, body: { node: node.id } })
  const reaches = async (state: Move['state']) =>
    await vi.waitFor(async () => expect(await installation.send(getMove, { params })).toMatchObject({ state }), {
      timeout: 120_000,
      interval: 100,
    })
  const readNode = async () => (await installation.send(getServer, { params, query: {} })).server.node.id

  await move()
  await reaches('done')
  const there = [await readNode(), await readFile(getPath(node), 'utf8')]
  await writeFile(getPath(node), 'higher level')
  await installation.send(goBack, { params })
  await reaches('back')
  const back = [await readNode(), await readFile(getPath(installation), 'utf8')]
  await vi.waitFor(move, { timeout: 60_000, interval: 200 })
  await installation.send(cancelMove, { params })
  await reaches('cancelled')

  expect([there, back, await readNode()]).toEqual([[node.id, 'level'], [0, 'higher level'], 0])
  await rm(folder, { recursive: true, force: true })
})
