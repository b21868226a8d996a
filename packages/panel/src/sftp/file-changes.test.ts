import { listServerActivity } from '@innkeeper/contract/activity/activity'
import type { FileChange } from '@innkeeper/contract/activity/file-changes'
import { reportNode } from '@innkeeper/contract/node-link/node-to-panel'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { expect, test } from 'vitest'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { TestPanel } from '../testing/test-panel.ts'

test('changes over SFTP are in the activity of the server, once, and of its own node only', async () => {
  const node = await SignedNodeClient.make()
  const testPanel = await TestPanel.start({}, node.publicKey)
  const [server, foreign] = [await testPanel.server(), await testPanel.server()]
  await testPanel.db.updateTable('servers').set({ node_id: 7 }).where('id', '=', foreign).execute()
  const admin = await testPanel.admin()
  const user = await testPanel.createUser()
  const atMs = Date.now() - 60_000
  const change = (id: string, more: Partial<FileChange> = {}): FileChange => ({
    id,
    type: 'write',
    server,
    userId: user.id,
    address: '10.0.0.9',
    path: `/${id}`,
    count: 1,
    atMs,
    ...more,
  })
  const report = async (fileChanges: unknown[]) => {
    const body = {
      atMs: Date.now(),
      features: { features: [], environments: ['standard'], os: 'linux', arch: 'amd64', version: '0.0.0-test' },
      machine: {
        startedAt: new Date(atMs).toISOString(),
        cpu: { cores: 2, used: 10 },
        memory: { total: 100, used: 50 },
        disk: { total: 100, used: 50 },
      },
      servers: [],
      fileChanges,
    }
    const { method, path } = reportNode
    const iat = Math.floor(Date.now() / 1000)
    const token = await node.token(requestPurpose(method, path), { iat, exp: iat + limits.ticketLifeMs / 1000 })
    const asNode = { id: 0, username: '', email: '', token }
    return (await testPanel.request<typeof reportNode>(method, path, body, asNode)).answer
  }
  const sent = [
    change('a.txt'),
    { ...change('b'), type: 'newChange' },
    change('foreign', { server: foreign }),
    change('many', { type: 'delete', path: undefined, count: 40, atMs: atMs + 1 }),
  ]

  expect((await report(sent)).fileChanges).toBe(4)
  expect((await report(sent)).fileChanges).toBe(4)

  const entries = async (id: string) =>
    (await testPanel.send(listServerActivity, { params: { id }, query: {} }, admin)).answer.activity
  const by = { user: { id: user.id, username: user.username }, from: '10.0.0.9', result: 'done', server }
  expect(await entries(server)).toEqual([
    { id: expect.any(String), at: new Date(atMs + 1).toISOString(), action: 'server.sftp.delete', count: 40, ...by },
    { id: expect.any(String), at: new Date(atMs).toISOString(), action: 'server.sftp.write', target: '/a.txt', ...by },
  ])
  expect(await entries(foreign)).toEqual([])
  await testPanel.stop()
})
