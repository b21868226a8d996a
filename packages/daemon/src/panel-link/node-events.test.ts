import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, test } from 'vitest'
import { maxPendingEvents, NodeEvents } from './node-events.ts'

const log = pino({ level: 'silent' })

async function inFolder(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-events-'))
  try {
    await work(dataDir)
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

test('events survive a restart until the panel has accepted them', async () => {
  await inFolder(async (dataDir) => {
    const before = await NodeEvents.open({ dataDir, log })
    let told = 0
    before.onAdded(() => told++)
    before.add({ type: 'crashed', server: '00c0ffee', detail: 'x'.repeat(1_000) })
    before.add({ type: 'taskFailed', server: '00c0ffee', subject: 'nightly' })
    await before.close()

    const after = await NodeEvents.open({ dataDir, log })
    const [first, second] = after.beginReport()
    await after.endReport(first ? [first] : [])
    const later = await NodeEvents.open({ dataDir, log })

    expect(told).toBe(2)
    expect(first).toMatchObject({ type: 'crashed', server: '00c0ffee', detail: 'x'.repeat(500) })
    expect(later.beginReport()).toEqual([second])
  })
})

test('the oldest events are dropped when there are too many, and a damaged file is replaced', async () => {
  await inFolder(async (dataDir) => {
    await writeFile(join(dataDir, 'events.json'), '{')
    const events = await NodeEvents.open({ dataDir, log })

    for (let at = 0; at <= maxPendingEvents; at++) events.add({ type: 'crashed', server: '00c0ffee', detail: `${at}` })
    await events.close()

    expect((await NodeEvents.open({ dataDir, log })).pending[0]?.detail).toBe('1')
  })
})
