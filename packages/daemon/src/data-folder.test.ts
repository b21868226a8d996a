import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as files from '@innkeeper/contract/servers/files'
import { startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { createTask, runTask } from '@innkeeper/contract/servers/tasks'
import { expect } from 'vitest'
import { program } from './testing/daemon.ts'
import { test } from './testing/node-test.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

/** Servers and their copies must be able to reach their own directory and the installed runtimes. */
const passable = ['', 'servers', 'copies', 'runtimes']

test('a node creates directories in an empty data directory that others cannot look into', async ({ node }) => {
  expect(process.umask()).toBe(0o022)
  const { client, dataDir } = node
  await client.create(id, program('echo'))
  await client.send(startServer, { params, query: wait })
  const upload = { 'tus-resumable': '1.0.0', 'upload-length': '3', 'upload-metadata': `path ${btoa('a')}` }
  await client.send(files.createUpload, { params, headers: upload })
  const task = { name: 'Chore', operations: [{ type: 'command', commands: ['echo hello'] }] }
  const { body } = await client.send(createTask, { params, body: task })
  await client.send(runTask, { params: { id, task: body.id }, query: wait })
  await client.send(stopServer, { params, query: wait })
  await node.detach()

  const folders = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dataDir.length + 1))
    .filter((path) => !/^(servers|copies|runtimes)(\/|$)/.test(path) || passable.includes(path))
  const open = ['', ...folders].filter((path) => (statSync(join(dataDir, path)).mode & 0o077) !== 0)

  expect(folders).toEqual(expect.arrayContaining(['console', `console/${id}`, 'state', 'tasks', 'uploads']))
  expect(open.filter((path) => !passable.includes(path))).toEqual([])
  expect(open.map((path) => statSync(join(dataDir, path)).mode & 0o777)).toEqual(open.map(() => 0o711))
})
