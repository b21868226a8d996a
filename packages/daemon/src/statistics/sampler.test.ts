import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { limits } from '@innkeeper/contract/text/limits'
import { expect, onTestFinished, test } from 'vitest'
import { getPlan, KeeperFixture, startReading, until } from '../testing/keepers.ts'
import { Sampler } from './sampler.ts'

const onError = (cause: unknown) => {
  throw cause
}

test('a server’s usage is that of its whole process tree, and is available soon after its start', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const sampler = new Sampler({ onError })
  const alone = await startReading(keepers, getPlan('a/main', 'busy', [0]))
  const family = await startReading(keepers, getPlan('b/main', 'busy', [2]))
  const idle = await startReading(keepers, getPlan('c/main', 'echo'))
  await Promise.all([alone, family, idle].map(({ out }) => out.until(/ready/)))

  const began = performance.now()
  const watches = [alone, family, idle].map(({ run }) => sampler.watch(run.key, run.process))
  const { process } = family.run
  const ofMembers = sampler.watch('one of the family', process, undefined, () => [process.pid])
  await until('there are figures', () => watches.every((watch) => watch.latest().cpu + watch.latest().memory > 0))
  const [first] = watches
  await until('the processor time is known', () => (first?.latest().cpu ?? 0) > 0)

  expect(performance.now() - began).toBeLessThan(limits.statsEveryMs)
  const [one, three, none] = watches.map((watch) => watch.latest())
  expect(one?.cpu).toBeLessThanOrEqual(110)
  expect(none?.cpu).toBeLessThan(one?.cpu ?? 0)
  expect(three?.memory).toBeGreaterThan(2 * (one?.memory ?? 0))
  expect(one?.memory).toBeGreaterThan(20 * 1024 ** 2)
  expect(ofMembers.latest().memory).toBeGreaterThan(20 * 1024 ** 2)
  expect(ofMembers.latest().memory).toBeLessThan((three?.memory ?? 0) / 2)
  expect(Number(one?.cpu.toFixed(2))).toBe(one?.cpu)
  sampler.close()
})

test('disk writes are reported, also of exited children; network usage is not', async () => {
  await using fixture = await KeeperFixture.create()
  // The temporary files of the other tests may be in memory.
  const onDisk = await mkdtemp('/var/tmp/innkeeper-writes-')
  onTestFinished(() => rm(onDisk, { recursive: true }))
  const keepers = await fixture.open()
  const sampler = new Sampler({ onError, everyMs: 50 })
  const script = `echo ready; read go; dd if=/dev/zero of=${onDisk}/out bs=1M count=8 2>&1; read on`
  const { run, out } = await startReading(keepers, {
    ...getPlan('a/main', 'echo'),
    file: '/bin/sh',
    args: ['-c', script],
  })
  await out.until(/ready/)
  const written: number[] = []
  const watch = sampler.watch(run.key, run.process, ({ diskWrite }) => written.push(diskWrite ?? Number.NaN))
  await until('it was measured', () => written.length > 0)

  run.write('go\n')
  await until('something was written', () => written.some((rate) => rate > 0))

  expect(written[0]).toBe(0)
  expect(watch.latest().networkIn).toBeUndefined()
  sampler.close()
})

test('an exited server has no usage, and an idle sampler has no open descriptors', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const sampler = new Sampler({ onError, everyMs: 50 })
  const { run, out } = await startReading(keepers, getPlan('a/main', 'echo'))
  await out.until(/ready/)
  const before = openStats()
  const watch = sampler.watch(run.key, run.process)
  await until('it is measured through an open descriptor', () => watch.latest().memory > 0 && openStats() > before)

  run.write('stop\n')
  await run.exited
  await until('it has no memory any more', () => watch.latest().memory === 0)
  watch.stop()

  expect(watch.latest()).toEqual({ cpu: 0, memory: 0 })
  expect(openStats()).toBe(before)
})

/** Open descriptors of this process; the listing itself always counts one. */
function openStats(): number {
  return readdirSync('/proc/self/fd').length
}
