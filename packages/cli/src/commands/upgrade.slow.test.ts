import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, inspectDatabase } from '@innkeeper/panel/database/database'
import { migrateTo } from '@innkeeper/panel/database/migrations'
import { test as base, expect } from 'vitest'
import { runCommand } from '../testing/run-command.ts'
import { getEnvironment } from '../testing/test-installation.ts'

const test = base.extend<{ folder: string; env: Record<string, string> }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-upgrade-'))
    await writeFile(join(folder, 'config.json'), '{}')
    await use(folder)
    await rm(folder, { recursive: true })
  },
  env: async ({ folder }, use) => use(getEnvironment(folder, 1, 2)),
})

test('upgrade --check shows the migrations and the backup of the next start, and changes nothing', async ({
  folder,
  env,
}) => {
  const url = `sqlite:${join(folder, 'data', 'panel.db')}`
  const none = await runCommand(['upgrade', '--check'], env)
  const before = await readdir(folder)
  const db = await connect(url)
  await migrateTo(db, '0012-themes')
  await db.destroy()

  const old = await runCommand(['upgrade', '--check'], env)
  const json = await runCommand(['upgrade', '--check', '--json'], env)

  expect(none).toMatchObject({ code: 0, err: '' })
  expect(none.out).toContain('There is no database yet.')
  expect(before).toEqual(['config.json'])
  expect(old).toMatchObject({ code: 0, err: '' })
  expect(old.out).toMatch(
    /^This is Innkeeper \d+\.\d+\.\d+\.\nThe start runs these migrations:\n {2}0013-server-tags\n/,
  )
  expect(old.out).toContain(`A backup is made first: ${join(folder, 'data', 'panel.db')}.backup-<time>\n`)
  expect(JSON.parse(json.out)).toMatchObject({ role: 'all', pending: expect.arrayContaining(['0013-server-tags']) })
  expect((await inspectDatabase(url)).applied.at(-1)?.name).toBe('0012-themes')
  expect(await readdir(join(folder, 'data'))).toEqual(['panel.db'])
})

test('upgrade needs --check, and a node has nothing to migrate', async ({ env }) => {
  const node = {
    INNKEEPER_ROLE: 'node',
    INNKEEPER_NODE_ID: '3',
    INNKEEPER_PANEL_URL: 'https://panel.example.org',
    INNKEEPER_PANEL_KEY: 'A'.repeat(43),
  }

  const unchecked = await runCommand(['upgrade'], env)
  const onNode = await runCommand(['upgrade', '--check'], { ...env, ...node })

  expect([unchecked.code, unchecked.out]).toEqual([2, ''])
  expect(onNode.out).toContain('A node has no database, and needs no migration.')
})
