import { entryPath, printableName } from '../archives/unpack/entry-path.ts'
import { unpackTar } from '../archives/unpack/tar-reader.ts'
import { archiveLimits, Unpacking } from '../archives/unpack/unpacking.ts'
import { ignoreRefusals } from '../errors/refusals.ts'
import { rootPath } from '../files/path/safe-path.ts'
import { Progress } from '../files/tree/progress.ts'
import type { Server } from '../servers/server.ts'

/** Links of a server that are imported. */
const maxLinks = 100_000

/**
 * Places the files of a tar of another node in a new server, all or none. It cannot be started during the import. Links that lead
 * out of its folder, and names that are not UTF-8, are left out, and named in its console.
 */
export async function importFiles(server: Server, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  const release = server.holdStarts('restoring')
  try {
    await using files = await server.openFiles()
    const progress = new Progress()
    const links = new Map<string, string>()
    await using unpacking = await Unpacking.begin({
      files,
      signal,
      destination: rootPath,
      onConflict: 'replace',
      progress,
      // The size of the tar is unknown; it is not compressed.
      packedBytes: Number.MAX_SAFE_INTEGER,
      limits: archiveLimits,
    })
    await unpackTar(body, unpacking, (name, target) => {
      if (links.size < maxLinks) links.set(name, target)
    })
    await unpacking.finish()
    for (const [name, target] of links) {
      const path = entryPath(name)
      const isMade = path && path.length > 0 && (await isDone(files.symlink(target, path)))
      if (!isMade) progress.skip(printableName(name))
    }
    if (progress.skippedCount > 0) server.console.say(leftOut(progress))
  } finally {
    release()
  }
}

/** Whether it was not refused. */
async function isDone(work: Promise<void>): Promise<boolean> {
  return (await work.then(() => true).catch(ignoreRefusals())) ?? false
}

function leftOut({ skipped, skippedCount }: Progress): string {
  const more = skippedCount > skipped.length ? ` and ${skippedCount - skipped.length} more` : ''
  return `These files of the other node were left out, because their names are not UTF-8 or they lead out of the folder: ${skipped.join(', ')}${more}`
}
