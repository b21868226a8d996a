import { once } from 'node:events'
import { createAlertChannel } from '@innkeeper/contract/alerts/alerts'
import { createBackup, listBackupJobs, listBackups } from '@innkeeper/contract/backups/backups'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { listLivenessReports } from '@innkeeper/contract/servers/liveness-reports'
import { createServer } from '@innkeeper/contract/servers/new-server'
import {
  getConsole,
  getStats,
  getStatus,
  killServer,
  sendCommand,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { listPlayerActions } from '@innkeeper/contract/servers/player-actions'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { startRestartCountdown } from '@innkeeper/contract/servers/restart-countdown'
import { listServers } from '@innkeeper/contract/servers/servers'
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

/** What a user does with a server on a remote node. Returns the server. */
async function useServer(installation: TestInstallation, node: RemoteNode): Promise<{ readonly id: string }> {
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
  return params
}

/** Answers each line until it is told to hang. */
const hanging = {
  type: 'test',
  data: {},
  run: {
    command: 'sh -c "echo ready; while read line; do test $line = hang && sleep 600; echo alive; done"',
    stopCode: 15,
  },
  environment: { type: 'standard' },
  liveness: { checks: [{ type: 'command', command: 'ping', pattern: 'alive' }], interval: 5, timeout: 1, failures: 1 },
  players: { patterns: { join: '^(?<name>\\w+) joined$' } },
}

test('a node of the last release works with this panel', async ({ release }) => {
  await using installation = await TestInstallation.start()
  await using node = await RemoteNode.join(installation, {}, release.command)

  const params = await useServer(installation, node)

  // What that node does not have yet.
  const outdated = { code: 'ErrNodeOutdated' }
  for (const call of [getPlayers, listPlayerActions, listLivenessReports])
    await expect(installation.send(call, { params }), call.path).rejects.toMatchObject(outdated)
  const countdown = { minutes: [1], message: 'Restart in {minutes}' }
  await expect(installation.send(startRestartCountdown, { params, body: countdown })).rejects.toMatchObject(outdated)
})

test('this node works with a panel of the last release', async ({ release }) => {
  await using installation = await TestInstallation.start(undefined, {}, release.command)
  await using node = await RemoteNode.join(installation)

  await useServer(installation, node)
})

test('a panel of the last release shows a server of this node that does not respond as online', async ({ release }) => {
  await using installation = await TestInstallation.start(undefined, {}, release.command)
  await using node = await RemoteNode.join(installation)
  const created = { ...hanging, name: 'hanging', node: node.id, installAndStart: true }
  const params = await installation.send(createServer, { body: created } as never)
  const readLogs = async () => (await installation.send(getConsole, { params, query: {} })).logs
  await vi.waitFor(async () => expect(await readLogs()).toMatch(/^alive/m), pollOptions)

  await installation.send(sendCommand, { params, body: 'hang' })
  await vi.waitFor(async () => expect(await readLogs()).toContain('Server does not respond'), pollOptions)
  const { servers, counts } = await installation.send(listServers, { query: { status: 'online', counts: '' } } as never)

  expect([servers.map(({ id }) => id), counts?.online]).toEqual([[params.id], 1])
  expect((await installation.send(getStatus, { params })).state).toBe('online')
  await installation.send(killServer, { params, query: { wait: 'true' } })
  await node.expectNoProblem(installation)
}, 120_000)
