import { once } from 'node:events'
import { createAlertChannel } from '@innkeeper/contract/alerts/alerts'
import { createBackup, listBackupJobs, listBackups } from '@innkeeper/contract/backups/backups'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getConsole, getStats, getStatus, sendCommand, stopServer } from '@innkeeper/contract/servers/node-servers'
import { getStatsHistory } from '@innkeeper/contract/servers/stats-history'
import { createTask, runTask } from '@innkeeper/contract/servers/tasks'
import { putTemplate } from '@innkeeper/contract/templates/templates'
import { test as base, expect, vi } from 'vitest'
import { KeptRelease } from './testing/kept-release.ts'
import { RemoteNode } from './testing/remote-node.ts'
import { sftp } from './testing/sftp-client.ts'
import { admin, TestInstallation } from './testing/test-installation.ts'

const test = base.extend<{ release: KeptRelease }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  release: async ({}, use) => {
    await using release = await KeptRelease.unpack()
    await use(release)
  },
})

const pollOptions = { timeout: 20_000, interval: 100 }

const template = {
  type: 'test',
  display: 'Echo',
  data: { word: { value: 'ready', display: 'Word' } },
  install: [{ type: 'writefile', target: 'hello.txt', text: 'installed' }],
  run: { command: 'sh -c "echo ${word}; cat"', readyPattern: 'ready', stopCode: 15 },
  environment: { type: 'standard' },
}

/** What a user does with a server on a remote node. */
async function useServer(installation: TestInstallation, node: RemoteNode): Promise<void> {
  await installation.send(putTemplate, { params: { name: 'echo' }, body: { ...template, name: 'echo' } } as never)
  // The panel sends channels to its nodes.
  const channel = { name: 'hook', type: 'webhook', target: 'https://alerts.example.net/hook', alerts: ['crashed'] }
  await installation.send(createAlertChannel, { body: channel } as never)

  const created = { ...template, name: 'lobby', node: node.id, template: 'echo', installAndStart: true }
  const params = await installation.send(createServer, { body: created } as never)
  const readState = async () => (await installation.send(getStatus, { params })).state
  await vi.waitFor(async () => expect(await readState()).toBe('online'), pollOptions)

  const { url, token } = installation
  const viewer = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${params.id}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  let seen = ''
  viewer.addEventListener('message', ({ data }) => {
    seen += data
  })
  await once(viewer, 'open')
  await installation.send(sendCommand, { params, body: 'are you there' })
  await vi.waitFor(() => expect(seen).toContain('are you there'), pollOptions)
  expect((await installation.send(getConsole, { params, query: {} })).logs).toContain('are you there')
  viewer.close()

  const fileUrl = `/proxy/daemon/server/${params.id}/file/`
  expect((await installation.fetch(`${fileUrl}notes.txt`, { method: 'PUT', body: 'a note' })).status).toBe(204)
  expect(await (await installation.fetch(`${fileUrl}hello.txt`)).text()).toBe('installed')
  const listing = (await (await installation.fetch(fileUrl)).json()) as { readonly name: string }[]
  expect(listing.map(({ name }) => name).toSorted()).toEqual(['hello.txt', 'notes.txt'])
  const listed = await sftp(node, getSftpUser(admin.email, params.id), 'ls\n')
  expect(listed.out).toContain('notes.txt')

  expect((await installation.send(getStats, { params })).memory).toBeGreaterThan(0)
  expect((await installation.send(getStatsHistory, { params, query: { range: 'hour' } })).stepMs).toBeGreaterThan(0)

  await installation.send(createBackup, { params, body: { name: 'before' } } as never)
  await vi.waitFor(async () => {
    expect((await installation.send(listBackupJobs, { params })).map(({ state }) => state)).toEqual(['done'])
  }, pollOptions)
  expect((await installation.send(listBackups, { params })).map(({ name }) => name)).toEqual(['before'])

  const task = { name: 'Tidy up', operations: [{ type: 'mkdir', target: 'tidy' }] }
  const { id } = await installation.send(createTask, { params, body: task })
  await installation.send(runTask, { params: { ...params, task: id }, query: { wait: '' } })

  await installation.send(stopServer, { params, query: { wait: 'true' } })
  expect(await readState()).toBe('offline')
  await node.expectNoProblem(installation)
}

test('a node of the last release works with this panel', async ({ release }) => {
  await using installation = await TestInstallation.start()
  await using node = await RemoteNode.join(installation, {}, release.command)

  await useServer(installation, node)
})

test('this node works with a panel of the last release', async ({ release }) => {
  await using installation = await TestInstallation.start(undefined, {}, release.command)
  await using node = await RemoteNode.join(installation)

  await useServer(installation, node)
})
