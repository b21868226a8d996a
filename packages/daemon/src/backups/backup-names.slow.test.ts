import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/backups/backups'
import { getConsole } from '@innkeeper/contract/servers/node-servers'
import { expect } from 'vitest'
import { test } from '../testing/backup-server.ts'

const mark = 'innkeeper-planted'

const hostile = [
  `../../../../../../../../tmp/${mark}`,
  `--target=/tmp/${mark}`,
  `$(touch /tmp/${mark}) \`touch /tmp/${mark}\`; touch /tmp/${mark}`,
  `line\nServer stopped ${mark}\r\u001b[2J\0end`,
]

test.for(hostile)('the name %j of a backup is only text', async (name, { node, server }) => {
  await server.create()
  server.write('world/level.dat', 'old')

  const backup = await server.backUp(name)
  server.write('world/level.dat', 'new')
  const params = { ...server.params, backup: backup.id }
  const { body: verification } = await node.client.send(calls.verifyBackup, { params })
  const verified = await server.ended(verification)
  const { body: renamed } = await node.client.send(calls.editBackup, { params, body: { name } })
  const zip = await node.client.fetch(calls.downloadBackup, { params, query: { path: '', format: 'zip' } })
  const bytes = Buffer.from(await zip.body.arrayBuffer())
  const restored = await server.restore(backup)

  using folder = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-zip-'))
  writeFileSync(join(folder.path, 'a.zip'), bytes)
  const packed = execFileSync('unzip', ['-Z1', join(folder.path, 'a.zip')], { encoding: 'utf8' })
  expect([backup.name, renamed.name, verified.state, restored.state]).toEqual([name, name, 'done', 'done'])
  expect(server.read('world/level.dat')).toBe('old')
  expect(packed.split('\n').filter((path) => path.endsWith('level.dat'))).toEqual(['world/level.dat'])
  expect(String(zip.headers['content-disposition'])).not.toContain(mark)
  const { body: console } = await node.client.send(getConsole, { params: server.params })
  expect(console.logs).not.toContain(mark)
  const created = [...readdirSync('/tmp'), ...readdirSync(node.dataDir, { recursive: true, encoding: 'utf8' })]
  expect(created.filter((path) => path.includes(mark))).toEqual([])
})
