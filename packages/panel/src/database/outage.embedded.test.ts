import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getUserSettings, putUserSetting } from '@innkeeper/contract/settings/panel'
import Sqlite from 'better-sqlite3'
import pino from 'pino'
import { test as base, describe, expect, vi } from 'vitest'
import { TestPanel } from '../testing/test-panel.ts'

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-away-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

const silent = pino({ level: 'silent' })
const keep = (testPanel: TestPanel, as: Awaited<ReturnType<TestPanel['admin']>>, value: string) =>
  testPanel.send(putUserSetting, { params: { key: 'dark' }, body: { value } }, as)

// Outages of database servers are tested in `outage.server.slow.test.ts`.
describe('an embedded database', () => {
  test('that another program locks is unavailable, blocks only its own queries, and works again afterwards', async ({
    folder,
  }) => {
    const path = join(folder, 'panel.db')
    const testPanel = await TestPanel.start({ databaseUrl: `sqlite:${path}`, log: silent })
    const admin = await testPanel.admin()
    const other = new Sqlite(path)
    other.exec('begin immediate')
    let beats = 0
    const beating = setInterval(() => beats++, 20)

    const from = performance.now()
    const responses = await Promise.all(Array.from({ length: 10 }, () => keep(testPanel, admin, 'true')))
    const durationMs = performance.now() - from
    clearInterval(beating)
    other.exec('rollback')
    const back = await keep(testPanel, admin, 'false')

    expect(responses.map(({ status, refusal }) => [status, refusal])).toEqual(
      responses.map(() => [503, 'ErrDatabaseNotAvailable']),
    )
    expect(durationMs).toBeLessThan(5_000)
    expect(beats).toBeGreaterThan(20)
    expect(back.status).toBe(204)
    expect((await testPanel.send(getUserSettings, {}, admin)).answer).toEqual([{ key: 'dark', value: 'false' }])
    other.close()
    await testPanel.stop()
  })

  test('on a full disk is unavailable for writes, still readable, and works again when there is space', async ({
    folder,
    skip,
  }) => {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0700', 'tmpfs', folder])
    skip(mounted.status !== 0, 'only root may mount a small disk')
    try {
      const testPanel = await TestPanel.start({ databaseUrl: `sqlite:${join(folder, 'panel.db')}`, log: silent })
      const admin = await testPanel.admin()
      expect((await keep(testPanel, admin, 'true')).status).toBe(204)
      await writeFile(join(folder, 'filler'), Buffer.alloc(8 * 1024 * 1024)).catch(() => undefined)

      const refused = await vi.waitUntil(async () => {
        const reply = await keep(testPanel, admin, 'x'.repeat(20_000))
        return reply.status === 204 ? undefined : reply
      })
      const read = await testPanel.send(getUserSettings, {}, admin)
      await unlink(join(folder, 'filler'))
      const back = await keep(testPanel, admin, 'false')

      expect([refused.status, refused.refusal]).toEqual([503, 'ErrDatabaseNotAvailable'])
      expect(read.status).toBe(200)
      expect(back.status).toBe(204)
      await testPanel.stop()
    } finally {
      spawnSync('umount', ['-l', folder])
    }
  })
})
