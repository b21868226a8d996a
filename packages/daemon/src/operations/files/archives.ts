import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { extractArchive, findArchiveKind, packArchive } from '../../archives/archives.ts'
import { formatSize } from '../../downloads/download-progress.ts'
import { formatPath, getName, parsePath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import type { PreparedStep } from '../context/step-context.ts'

/** Packs files and directories into a new archive. */
export function makeArchive({ source, destination }: StepFields<'archive'>): PreparedStep {
  const paths = source.map(parsePath)
  const target = parsePath(destination)
  const kind = findArchiveKind(getName(target))
  if (!kind) throw new Refusal('ErrUnsupportedArchive')

  return async ({ files, signal, say }) => {
    say(`Packing: ${paths.map(formatPath).join(', ')} into ${formatPath(target)}`)
    const progress = new Progress()
    await using draft = await files.draft(target, { onConflict: 'refuse' })
    await packArchive({ files, paths, kind, write: (chunk) => draft.write(chunk), progress, signal })
    await draft.commit()
    say(`Packed ${getSummary(progress)}`)
  }
}

/** Summary of the result and of skipped entries, for the console. */
function getSummary({ entries, bytes, skipped, skippedCount }: Progress): string {
  const done = `${entries} ${entries === 1 ? 'entry' : 'entries'}, ${formatSize(bytes)}`
  const more = skippedCount - skipped.length
  if (skippedCount === 0) return done
  return `${done}; skipped: ${skipped.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Extracts an archive into a directory, which is created if necessary; existing files are replaced. */
export function extractFiles({ source, destination }: StepFields<'extract'>): PreparedStep {
  const archive = parsePath(source)
  const folder = parsePath(destination)
  if (!findArchiveKind(getName(archive))) throw new Refusal('ErrUnsupportedArchive')

  return async ({ files, signal, say }) => {
    say(`Extracting: ${formatPath(archive)} into ${formatPath(folder)}`)
    const progress = new Progress()
    await files.mkdirs(folder)
    await extractArchive({ files, archive, destination: folder, onConflict: 'replace', progress, signal })
    say(`Extracted ${getSummary(progress)}`)
  }
}
