import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '@innkeeper/daemon/fs/atomic-write'
import { readForeignHostKey } from '@innkeeper/daemon/sftp/ssh/foreign-host-key'
import { ImportError, namesIn, readSource } from './source-files.ts'

const maxBytes = 65_536

interface Options {
  readonly dataDir: string
  readonly dryRun: boolean
  /** A key that replaces the one of this installation. */
  readonly chosen: string | undefined
}

/**
 * Takes over the key by which SFTP clients know this machine, if no client can know ours yet: while there is no server
 * here. A chosen key replaces ours, which is kept beside it.
 * @returns notes for the report
 * @throws ImportError when a chosen key cannot be used
 */
export async function takeOverHostKey(
  found: string | undefined,
  { dataDir, dryRun, chosen }: Options,
): Promise<readonly string[]> {
  const source = chosen ?? found
  const text = source === undefined ? undefined : await readSource(source, maxBytes)
  if (text === undefined) {
    if (chosen !== undefined) throw new ImportError(`There is no file ${chosen}.`)
    return []
  }
  const key = readForeignHostKey(text)
  if (!key || 'type' in key) {
    const reason = key ? `is of the type ${key.type}, and only Ed25519 is possible here` : 'cannot be read'
    if (chosen !== undefined) throw new ImportError(`${chosen} ${reason}.`)
    return [`SFTP host key ${source}: ${reason}; SFTP clients will warn of a changed key`]
  }
  const path = join(dataDir, 'sftp-host-key')
  const ours = await readSource(path, maxBytes)
  const known = ours === undefined ? undefined : readForeignHostKey(ours)
  if (known && 'publicKey' in known && known.publicKey === key.publicKey) return []
  const hasServers = (await namesIn(join(dataDir, 'servers'))).some((name) => name.endsWith('.json'))
  if (ours !== undefined && hasServers && chosen === undefined)
    return [
      `SFTP host key ${source}: is not carried over, because clients may know the key of Innkeeper; --sftp-host-key ${source} replaces it`,
    ]
  if (!dryRun) {
    if (ours !== undefined) await rename(path, `${path}.old`)
    await writeFileAtomic(path, key.key)
  }
  return [`SFTP host key: is that of ${source}, so clients do not warn`]
}
