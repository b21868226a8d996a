import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { CheckResult, CheckState } from '../doctor/checks.ts'
import { readCommands } from '../testing/commands-of.ts'
import { freePort } from '../testing/free-port.ts'
import { runCommand } from '../testing/run-command.ts'
import { TestInstallation } from '../testing/test-installation.ts'

interface Report {
  readonly state: CheckState
  readonly checks: readonly CheckResult[]
}

const doctorPage = new URL('../../../../docs/doctor.md', import.meta.url)

test('beside a running Innkeeper, its ports and its database are in order', async () => {
  await using installation = await TestInstallation.start()

  const { code, out } = await runCommand(['doctor', '--json'], installation.env)

  const { state, checks } = JSON.parse(out) as Report
  const messages = Object.fromEntries(checks.map(({ name, message }) => [name, message]))
  expect(messages).toMatchObject({
    database: 'The database responds and is up to date.',
    'panel-port': `Port ${installation.port} for the panel is used by Innkeeper.`,
    'sftp-port': `Port ${installation.sftpPort} for SFTP is used by Innkeeper.`,
  })
  expect([code, state]).toEqual([checks.some((check) => check.state === 'failed') ? 1 : 0, expect.any(String)])
  const page = await readFile(doctorPage, 'utf8')
  const firstCells = page.split('\n').flatMap((line) => (line.startsWith('| `') ? (line.split('|')[1] ?? '') : []))
  const explained = firstCells.flatMap((cell) => cell.match(/[\w-]+/g) ?? [])
  expect(checks.map(({ name }) => name).filter((name) => !explained.includes(name))).toEqual([])
})

test('a node is checked without a database, and a panel without servers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-doctor-'))
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(folder, { recursive: true }))
  const [port, sftpPort] = [String(await freePort()), String(await freePort())]
  const common = { INNKEEPER_DATA_DIR: join(folder, 'data'), INNKEEPER_SFTP_PORT: sftpPort }
  const node = {
    ...common,
    INNKEEPER_ROLE: 'node',
    INNKEEPER_PANEL_URL: 'https://panel.example.org',
    INNKEEPER_PANEL_KEY: 'x'.repeat(43),
    INNKEEPER_NODE_ID: '1',
    INNKEEPER_NODE_PORT: port,
  }
  const panel = {
    ...common,
    INNKEEPER_ROLE: 'panel',
    INNKEEPER_PORT: port,
    INNKEEPER_DATABASE_URL: `postgres://x:secret@127.0.0.1:${await freePort()}/x`,
  }

  const [ofNode, ofPanel] = [await runCommand(['doctor', '--json'], node), await runCommand(['doctor'], panel)]

  const names = (JSON.parse(ofNode.out) as Report).checks.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['user-isolation', 'docker', 'restic', 'node-port', 'sftp-port']))
  expect(names).not.toContain('database')
  expect(ofPanel.out).toMatch(/^failed {2}database +The database is not available\..*ECONNREFUSED/m)
  expect(ofPanel.out).not.toMatch(/docker|restic|sftp|secret/)
  expect(ofPanel.code).toBe(1)
  // Nothing is left behind.
  expect(await readdir(folder)).toEqual([])
})

test('the commands of the documentation run', async () => {
  const commands = await readCommands('doctor.md')
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-doctor-'))
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(folder, { recursive: true }))
  const env = {
    PATH: process.env.PATH,
    INNKEEPER_DATA_DIR: join(folder, 'data'),
    INNKEEPER_PORT: String(await freePort()),
    INNKEEPER_SFTP_PORT: String(await freePort()),
  }

  const outputs = []
  for (const code of commands) {
    const command = code.replaceAll('innkeeper doctor', `${process.execPath} ${main} doctor`)
    outputs.push((await promisify(execFile)('bash', ['-ec', command], { env, cwd: folder })).stdout)
  }

  expect(outputs).toEqual([expect.stringMatching(/^ok +nodejs +Node\.js/m), expect.stringContaining('"checks":[')])
})
