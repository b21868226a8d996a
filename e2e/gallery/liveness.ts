import type { LivenessReport } from '@innkeeper/contract/servers/liveness-reports'
import type { Page } from '@playwright/test'

const stack = [
  'Full thread dump OpenJDK 64-Bit Server VM (25.0.1+8-LTS mixed mode, sharing):',
  '',
  '"Server thread" #42 [4711] prio=5 os_prio=0 cpu=8123.45ms elapsed=901.22s tid=0x00007f2c4c0a1000 waiting for monitor entry',
  '   java.lang.Thread.State: BLOCKED (on object monitor)',
  ...Array.from(
    { length: 30 },
    (_, at) => `\tat net.minecraft.world.level.chunk.storage.RegionFile.write${at}(RegionFile.java:${at})`,
  ),
].join('\n')

const report: LivenessReport = {
  id: '1',
  at: '2026-11-20T20:01:30.000Z',
  since: '2026-11-20T20:00:00.000Z',
  reason: 'query',
  action: 'restart',
  checks: [
    { type: 'query', detail: 'The game did not answer a query: The operation was aborted due to timeout' },
    { type: 'command', detail: 'No line matched after the command “list”' },
  ],
  usage: { cpu: 100.4, memory: 3.4 * 1024 ** 3, memoryMax: 4 * 1024 ** 3 },
  processes: [
    { pid: 4710, name: 'bash', threads: { S: 1 } },
    { pid: 4711, name: 'java', threads: { R: 1, S: 68, D: 3 } },
  ],
  lines: Array.from(
    { length: 40 },
    (_, at) => `[20:00:${at}] [Server thread/INFO]: Saving chunks for level ${at}`,
  ).join('\n'),
  threadDump: stack,
}

/** Fakes the reports about a server that did not respond: one of a JVM, and earlier ones. */
export async function fakeLivenessReport(page: Page): Promise<void> {
  const reports = [report, { ...report, id: '0', at: '2026-11-19T08:15:00.000Z', action: 'limit' }]
  await page.route(/\/daemon\/server\/[^/]+\/liveness$/, (route) => route.fulfill({ json: reports }))
  await page.route(/\/daemon\/server\/[^/]+\/liveness\/\d+$/, (route) => route.fulfill({ json: report }))
}
