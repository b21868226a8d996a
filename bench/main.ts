import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installMissingPackages } from '../tools/packages.ts'
import { benchApi } from './api.ts'
import { archiveContests } from './archives.ts'
import { type Contest, compare, lineOf } from './compare.ts'
import { fleet } from './fleet.ts'
import { httpContests } from './http-files.ts'
import { hurt } from './hurt.ts'
import { Product } from './product.ts'
import { startNginx, startSshd } from './references.ts'
import { cycles, idling, observationLine, storm } from './servers.ts'
import { sftpContests } from './sftp.ts'
import { Ticking } from './ticking.ts'

/**
 * `npm run bench [-- words]`: each thing that has a reference is measured side by side with it; with words, only those
 * whose name begins with one of them: `http`, `sftp: get`. What has none is held against a figure: `servers`, or one of
 * `cycles`, `idle`, `storm` and `hurt`. `fleet`, with its many nodes, takes minutes: it is only done when it is named. Says
 * what misses its goal; that is no failure, a machine may be busy.
 */
const words = process.argv.slice(2)
/** What has no reference is only measured; it comes first, on a machine that does nothing else. */
const observations = { cycles, idle: idling, storm, hurt } as const
const onlyNamed = { fleet } as const
for (const [word, observe] of Object.entries({ ...observations, ...onlyNamed })) {
  const isMeant = (words.length === 0 || words.includes('servers')) && !(word in onlyNamed)
  if (isMeant || words.includes(word))
    for (const observation of [await observe()].flat()) console.log(observationLine(observation))
}
if (words.length === 0 || words.includes('api')) await benchApi()
const observed = new Set(['api', 'servers', ...Object.keys(observations), ...Object.keys(onlyNamed)])
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
  await using product = await Product.start()
  await using nginx = await startNginx(dir)
  await using sshd = await startSshd(dir)
  await using later = new AsyncDisposableStack()
  // Their data takes longer to make than to measure: only what is asked for is made.
  const groups: Readonly<Record<string, () => Promise<Contest[]>>> = {
    http: () => httpContests(product, nginx, dir),
    sftp: () => sftpContests(product, sshd, dir),
    // Its console is only watched where it is measured.
    archive: async () => archiveContests(product, later.use(await Ticking.start(product)), dir),
  }
  for (const [group, make] of Object.entries(groups)) {
    if (words.length > 0 && !words.some((word) => word.startsWith(group))) continue
    for (const contest of await make()) {
      if (words.length > 0 && !words.some((word) => contest.name.startsWith(word))) continue
      console.log(lineOf(await compare(contest)))
    }
  }
} finally {
  await rm(dir, { recursive: true, force: true })
}
