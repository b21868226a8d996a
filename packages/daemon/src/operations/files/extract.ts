import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { extractArchive, findArchiveKind } from '../../archives/archives.ts'
import { formatPath, getName, parsePath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import type { PreparedStep } from '../context/step-context.ts'
import { getSummary } from './archive.ts'

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
