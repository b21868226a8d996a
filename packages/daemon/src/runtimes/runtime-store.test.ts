import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { test as base, describe, expect } from 'vitest'
import { runningExecutables } from '../proc/running-executables.ts'
import { adoptium } from '../testing/outside.ts'
import { openWorkshop, type StepFixture } from '../testing/step-fixture.ts'
import { unusedRetentionMs } from './runtime-store.ts'
import { pruneJob } from './shared-store.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    await use(fixture)
  },
})

const nothing = { running: [] }
const day = 24 * 60 * 60 * 1000

/** Installs a Java runtime for a server. */
async function fetchJava(fixture: StepFixture, major: number, serverId = '0a1b2c3d'): Promise<void> {
  adoptium(fixture, major)
  const circumstances = { env: 'host', os: 'linux', arch: 'amd64', serverId }
  await fixture.run([{ type: 'javadl', version: major }], {
    conditionContext: circumstances,
    inPath: async () => false,
  })
}

const getFolder = (fixture: StepFixture, major: number) => join(fixture.node, `runtimes/java-jdk-${major}.0.5+11-x64`)
const names = (fixture: StepFixture) =>
  readdirSync(join(fixture.node, 'runtimes')).filter((name) => name.startsWith('java-'))

function lastUsed(fixture: StepFixture, major: number, agoMs: number): void {
  const at = (Date.now() - agoMs) / 1000
  utimesSync(getFolder(fixture, major), at, at)
}

describe('installed runtimes', () => {
  test('stay while a server has links to them, and for a while after', async ({ fixture }) => {
    const { runtimes } = fixture.sharedStore
    await fetchJava(fixture, 21)
    await fetchJava(fixture, 8, 'ffffffff')
    for (const major of [8, 21]) lastUsed(fixture, major, 10 * unusedRetentionMs)

    const whileUsed = await runtimes.prune(nothing)
    await runtimes.forget('ffffffff')
    const justLeft = await runtimes.prune(nothing)
    lastUsed(fixture, 8, unusedRetentionMs - day)
    const later = await runtimes.prune(nothing)
    lastUsed(fixture, 8, unusedRetentionMs)
    const last = await runtimes.prune(nothing)

    expect([whileUsed, justLeft, later, last]).toEqual([[], [], [], ['java-jdk-8.0.5+11-x64']])
    expect(names(fixture)).toEqual(['java-jdk-21.0.5+11-x64'])
    expect(readdirSync(join(fixture.node, 'runtimes/unpacking'))).toEqual([])
  })

  test('are removed earlier when the store is too large, the oldest first, but not those just requested', async ({
    fixture,
  }) => {
    const { runtimes } = fixture.sharedStore
    for (const major of [8, 11, 17, 21]) await fetchJava(fixture, major, `0000000${major % 10}`)
    for (const server of ['00000008', '00000001', '00000007']) await runtimes.forget(server)
    lastUsed(fixture, 17, 2 * day)
    lastUsed(fixture, 8, 3 * day)
    lastUsed(fixture, 11, 60_000)
    const sizeOfOne = 70
    const left = () => names(fixture).map((name) => name.split(/[-.]/)[2])

    await runtimes.prune({ ...nothing, bytes: 4 * sizeOfOne })
    const enough = left()
    await runtimes.prune({ ...nothing, bytes: 3 * sizeOfOne })
    const three = left()
    await runtimes.prune({ ...nothing, bytes: 0 })

    expect(enough.toSorted()).toEqual(['11', '17', '21', '8'])
    expect(three.toSorted()).toEqual(['11', '17', '21'])
    expect(left().toSorted()).toEqual(['11', '21'])
  })

  test('stay while a process runs them', async ({ fixture }) => {
    const { runtimes } = fixture.sharedStore
    const sleep = readFileSync('/usr/bin/sleep')
    const parts = ['java', 'javac'].map((name) => ({ name: `jdk/bin/${name}`, data: sleep, mode: 0o755 }))
    adoptium(fixture, 21, { parts })
    await fixture.run([{ type: 'javadl', version: 21 }])
    const server = spawn(join(runtimes.getFolder('0a1b2c3d'), 'java21'), ['600'])
    await once(server, 'spawn')
    await runtimes.forget('0a1b2c3d')
    lastUsed(fixture, 21, 10 * unusedRetentionMs)

    const whileRunning = await runtimes.prune({ running: await runningExecutables() })
    server.kill('SIGKILL')
    await once(server, 'exit')
    const afterwards = await runtimes.prune({ running: await runningExecutables() })

    expect(whileRunning).toEqual([])
    expect(afterwards).toEqual(['java-jdk-21.0.5+11-x64'])
  })

  test('are available during a prune', async ({ fixture }) => {
    const { runtimes } = fixture.sharedStore
    await fetchJava(fixture, 21)
    for (let round = 0; round < 10; round++) {
      await runtimes.forget('0a1b2c3d')
      lastUsed(fixture, 21, 10 * unusedRetentionMs)

      await Promise.all([fetchJava(fixture, 21), runtimes.prune(nothing), runtimes.prune(nothing)])

      expect(existsSync(join(runtimes.getFolder('0a1b2c3d'), 'java21'))).toBe(true)
    }
  })

  test('lose the links of a deleted server, whatever else is among them', async ({ fixture }) => {
    const { runtimes } = fixture.sharedStore
    await fetchJava(fixture, 21)
    const odd = ['/etc/passwd', '../../../..', '../../no-such/bin/x', '../../odd\nname/x', '.']
    for (const [at, target] of odd.entries()) symlinkSync(target, join(runtimes.getFolder('0a1b2c3d'), `odd${at}`))
    writeFileSync(join(runtimes.getFolder('0a1b2c3d'), 'file'), '')

    await runtimes.prune(nothing)
    await runtimes.linkForServer('0a1b2c3d', { odd0: 'java-jdk-21.0.5+11-x64/bin/java' })
    await runtimes.forget('0a1b2c3d')
    await runtimes.prune(nothing)

    expect(existsSync(runtimes.getFolder('0a1b2c3d'))).toBe(false)
    expect(names(fixture)).toEqual(['java-jdk-21.0.5+11-x64'])
  })

  test('are pruned periodically, until it is closed', async ({ fixture }) => {
    await fetchJava(fixture, 21)
    await fixture.sharedStore.runtimes.forget('0a1b2c3d')
    lastUsed(fixture, 21, unusedRetentionMs)
    const job = pruneJob({ sharedStore: fixture.sharedStore, log: pino({ level: 'silent' }), everyMs: 5 }).start()

    await expect.poll(() => names(fixture), { timeout: 20_000 }).toEqual([])
    await job.close()
  })
})
