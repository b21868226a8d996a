import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addSshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { run } from './programs.ts'
import type { Observation } from './servers.ts'
import { evaluate, summarize } from './statistics.ts'
import { writeSmallFiles } from './test-files.ts'
import { TestInstallation } from './test-installation.ts'

const rounds = 5
const files = 500
const goal = 1.5

/** What the trash costs over SFTP: uploads over existing files, and deletions, with and without it. */
export async function trashCosts(): Promise<readonly Observation[]> {
  const dir = await mkdtemp(join(tmpdir(), 'innkeeper-bench-trash-'))
  try {
    const small = join(dir, 'small')
    await writeSmallFiles(small, files, 4_096)
    const identity = join(dir, 'key')
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', identity])
    const key = await readFile(`${identity}.pub`, 'utf8')
    await using kept = await TestInstallation.start()
    await using deleted = await TestInstallation.start('all', { INNKEEPER_TRASH_SFTP: 'false' })
    const sides = [kept, deleted].map((installation) => ({
      installation,
      send: (commands: string) => sftp(installation, identity, commands),
      overwritten: [] as number[],
      removed: [] as number[],
    }))
    for (const { installation, send } of sides) {
      await installation.send(addSshKey, { body: { key, password: installation.password } })
      await send(`put -r ${small} small\n`)
    }
    const overwrite = `put ${small}/* small/\n`
    for (let round = 0; round < rounds; round++) {
      for (const { send, overwritten, removed } of sides) {
        overwritten.push(await readTime(() => send(overwrite)))
        removed.push(await readTime(() => send('rm small/*\n')))
        await send(overwrite)
      }
    }
    const [withTrash, without] = sides
    if (!withTrash || !without) return []
    return [
      getObservation('overwrite', withTrash.overwritten, without.overwritten),
      getObservation('delete', withTrash.removed, without.removed),
    ]
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function getObservation(name: string, withTrash: readonly number[], without: readonly number[]): Observation {
  const [mine, theirs] = [summarize(withTrash).median, summarize(without).median]
  const { ratio, isMet } = evaluate({ time: goal }, mine, theirs)
  return {
    name: `trash: ${name} ${files} files of 4 KiB over SFTP`,
    isGoalMet: isMet,
    details: `${mine.toFixed(0)} ms, without ${theirs.toFixed(0)} ms: ${ratio.toFixed(2)} ×, goal ≤ ${goal} ×`,
  }
}

async function sftp(installation: TestInstallation, identity: string, commands: string): Promise<void> {
  const options = ['IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR']
  const user = `User=${getSftpUser(installation.email, installation.server)}`
  await run(
    'sftp',
    [
      ...['-q', '-b', '-', '-P', String(installation.sftpPort), '-i', identity],
      ...[user, ...options].flatMap((option) => ['-o', option]),
      '127.0.0.1',
    ],
    { input: commands },
  )
}

async function readTime(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
