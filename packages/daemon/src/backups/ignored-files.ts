import { limits } from '@innkeeper/contract/text/limits'
import { ignoreRefusals } from '../errors/refusals.ts'
import { parsePath } from '../files/path/safe-path.ts'
import type { RootFs } from '../files/root.ts'

const maxIgnoreFileBytes = 64 * 1024

/** The file in which a server lists files to leave out, one pattern a line. */
const listName = '.innkeeperignore'

/**
 * The arguments that leave files out: temporary files of uploads, those of the definition, and those of the server's own
 * list. A pattern with a leading `/` is relative to `root`, the directory of the server as restic sees it.
 */
export async function excludeArguments(files: RootFs, root: string, patterns: readonly string[]): Promise<string[]> {
  const text = await readList(files)
  const own = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('\0'))
    .slice(0, limits.backupLines)
  return ['.innkeeper-*.tmp', ...patterns, ...own].map(
    (pattern) => `--exclude=${pattern.startsWith('/') ? `${root === '/' ? '' : root}${pattern}` : pattern}`,
  )
}

async function readList(files: RootFs): Promise<string> {
  const list = await files
    .readFile(parsePath(listName), maxIgnoreFileBytes)
    .catch(ignoreRefusals('ErrFileNotFound', 'ErrNotAFile'))
  return list?.toString('utf8') ?? ''
}
