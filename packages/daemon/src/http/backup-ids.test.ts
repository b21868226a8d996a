import { readdirSync } from 'node:fs'
import * as backups from '@innkeeper/contract/backups/backups'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { expect } from 'vitest'
import { testOnClearedNode as test } from '../testing/node-test.ts'

const [id, other] = ['0a0a0a03', '0a0a0a04']
const backupId = '0123456789abcdef'

const paths = [
  ...['.', '..', '../..', `../../${other}`, `../${other}/restore/${backupId}`, `../servers/${other}.json`],
  ...['/etc/passwd', `${backupId}/..`, `${backupId}\0`, `${backupId}\n`, '..\\..', '%2e%2e%2f'],
  ...['latest', '--target=/tmp/innkeeper-planted', '-rf', '*', '__proto__', 'constructor'],
]

/** The endpoints of a node whose path has the ID of a backup, of a job or of a target. */
const addressed = [...Object.values(backups), ...Object.values(panelEndpoints)].flatMap((call) => {
  if (typeof call !== 'object' || !('path' in call) || ('via' in call && call.via !== 'node')) return []
  return /\/daemon\/server\/:id.*\/:(backup|job|target)$/.test(call.path) ? [call] : []
})

test('IDs of backups, of their jobs and targets are no paths, for users and for the panel', async ({ node }) => {
  for (const server of [id, other]) await node.client.create(server, 'true')
  // Logs of consoles are written a moment later.
  const listTree = () =>
    readdirSync(node.dataDir, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('console/'))
  const before = listTree()

  const answers = []
  for (const call of addressed) {
    const isForUsers = typeof call.access === 'object'
    for (const path of paths) {
      const { status } = await node.client.send(call, {
        params: { id, backup: path, job: path, target: path },
        permissions: [isForUsers ? 'admin' : 'node'],
        ...(call.method !== 'GET' && { headers: { 'content-type': 'application/json' }, body: {} }),
        ...(!isForUsers && { ticket: { server: undefined } }),
      })
      answers.push([call.path, path, status])
    }
  }

  expect(addressed.length).toBeGreaterThan(10)
  expect(answers.filter(([, , status]) => ![400, 404].includes(Number(status)))).toEqual([])
  expect(listTree().toSorted()).toEqual(before.toSorted())
})

test('neither are those of a backup that is cloned', async ({ node }) => {
  for (const server of [id, other]) await node.client.create(server, 'true')
  const { queueImport, fillFromBackup } = panelEndpoints
  const send = async (call: typeof queueImport | typeof fillFromBackup, body: object) =>
    (await node.client.asPanel(call.method, call.path.replace(':id', id), body)).status

  for (const backup of paths) {
    const statuses = [await send(queueImport, { backup }), await send(fillFromBackup, { source: other, backup })]
    expect([backup, ...statuses]).toEqual([backup, 400, 400])
  }
})
