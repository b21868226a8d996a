import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installMissingPackages } from '../tools/debian-packages.ts'
import { benchApi } from './api.ts'
import { archiveComparisons } from './archives.ts'
import { backups } from './backup.ts'
import { browserTimes } from './browser.ts'
import { type Comparison, compare, formatResult } from './compare.ts'
import { ConsoleLatency } from './console-latency.ts'
import { fanOut } from './fanout.ts'
import { fleet, fleetGrowth } from './fleet.ts'
import { httpComparisons } from './http-files.ts'
import { lightFleet } from './light-fleet.ts'
import { moves } from './move.ts'
import { noisyServers } from './noisy-servers.ts'
import { players } from './players.ts'
import { startNginx, startSshd } from './references.ts'
import { idleServers, observationLine, startStopCycles, startStorm } from './servers.ts'
import { sftpComparisons } from './sftp.ts'
import { startup } from './startup.ts'
import { TestInstallation } from './test-installation.ts'
import { trashCosts } from './trash.ts'

/**
 * `npm run bench [-- names]`: compares operations with reference programs. Arguments select those whose name begins with
 * one of them: `http`, `sftp: get`. Measurements without a reference are compared with fixed goals: `servers`, or one of
 * `cycles`, `idle`, `storm`, `noisy` and `fanout`. `startup`, `browser`, `fleet`, `light-fleet`, `growth`, `backup`, `trash`, `move` and `players`
 * take minutes and only run by name. Missed goals are printed as MISS, but are not failures, because the machine may be busy.
 */
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
/** These run first, while the machine is otherwise idle. */
const observations = {
  cycles: startStopCycles,
  idle: idleServers,
  storm: startStorm,
  noisy: noisyServers,
  fanout: fanOut,
} as const
const onlyByName = {
  ...{
    startup,
    browser: browserTimes,
    fleet,
    'light-fleet': lightFleet,
    growth: fleetGrowth,
    backup: backups,
    trash: trashCosts,
    move: moves,
    players,
  },
} as const
for (const [word, observe] of Object.entries({ ...observations, ...onlyByName })) {
  const isSelected = (words.length === 0 || words.includes('servers')) && !(word in onlyByName)
  if (isSelected || words.includes(word))
    for (const observation of [await observe()].flat()) console.log(observationLine(observation))
}
if (words.length === 0 || words.includes('api')) await benchApi()
const observed = new Set(['api', 'servers', ...Object.keys(observations), ...Object.keys(onlyByName)])
if (words.length > 0 && words.every((word) => observed.has(word))) process.exit()

await installMissingPackages({
  'nginx-light': '/usr/sbin/nginx',
  'openssh-client': '/usr/bin/sftp',
  'openssh-server': '/usr/sbin/sshd',
  rclone: '/usr/bin/rclone',
  unzip: '/usr/bin/unzip',
  zip: '/usr/bin/zip',
  zstd: '/usr/bin/zstd',
})
const dir = await mkdtemp(join(tmpdir(), 'innkeeper-bench-data-'))
try {
  await using installation = await TestInstallation.start()
  await using nginx = await startNginx(dir)
  await using sshd = await startSshd(dir)
  await using resources = new AsyncDisposableStack()
  // Creating the test data takes longer than the measurements, so only selected groups create theirs.
  const groups: Readonly<Record<string, () => Promise<Comparison[]>>> = {
    http: () => httpComparisons(installation, nginx, dir),
    sftp: () => sftpComparisons(installation, sshd, dir),
    // Only this group measures the console.
    archive: async () => archiveComparisons(installation, resources.use(await ConsoleLatency.start(installation)), dir),
  }
  for (const [group, prepare] of Object.entries(groups)) {
    if (words.length > 0 && !words.some((word) => word.startsWith(group))) continue
    for (const comparison of await prepare()) {
      if (words.length > 0 && !words.some((word) => comparison.name.startsWith(word))) continue
      console.log(formatResult(await compare(comparison)))
    }
  }
} finally {
  await rm(dir, { recursive: true, force: true })
}
