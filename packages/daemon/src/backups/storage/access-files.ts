import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withTimeout } from '../../concurrency/timeout.ts'
import { readTextIfExists } from '../../fs/if-exists.ts'
import type { RemoteMounts } from './confined-command.ts'
import { executableFile, type RepositoryAccess } from './repository-access.ts'

const connectTimeoutMs = 10_000

/** Writes the files with which a repository is reached. `visibleDir` is where the program sees them. */
export async function prepareAccess(
  { access: dir, cache }: RemoteMounts,
  access: RepositoryAccess,
  visibleDir: string,
): Promise<void> {
  for (const path of [dir, cache]) await mkdir(path, { recursive: true, mode: 0o700 })
  const files = access.files(visibleDir)
  for (const name of await readdir(dir)) if (!Object.hasOwn(files, name)) await rm(join(dir, name), { force: true })
  for (const [name, text] of Object.entries(files)) {
    const path = join(dir, name)
    // Another command may be reading it.
    if ((await readTextIfExists(path)) === text) continue
    await rm(path, { force: true })
    await writeFile(path, text, { flag: 'wx', mode: name === executableFile ? 0o755 : 0o600 })
  }
}

/** Throws ErrBackupFailed when no connection can be made: restic would try for a quarter of an hour. */
export async function requireReachable({ host, port }: RepositoryAccess, signal: AbortSignal): Promise<void> {
  const socket = connect({ host, port })
  const refuse = (cause?: Error) => {
    return new Refusal('ErrBackupFailed', { reason: formatReason('targetSilent') }, { cause })
  }
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', (error) => reject(refuse(error)))
  })
  await withTimeout(connected, { ms: connectTimeoutMs, signal, error: () => refuse() }).finally(() => socket.destroy())
}
