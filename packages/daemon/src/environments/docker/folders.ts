import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Mount, MountedFolder } from '@innkeeper/contract/definitions/container'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getCode } from '../../errors/error-code.ts'
import { parsePath } from '../../files/path/safe-path.ts'
import { RootFs } from '../../files/root.ts'
import type { ProcessId } from '../../proc/process-stat.ts'

export interface OpenedFolder extends Mount {
  /** Its path from the name of the server's directory on; undefined for that directory itself. */
  readonly inside: string | undefined
}

/** Creates the folders below a server's directory and returns their mounts. Refuses those that links lead to. */
export async function openFolders(
  rootDir: string,
  folders: readonly MountedFolder[],
): Promise<readonly OpenedFolder[]> {
  if (folders.length === 0) return []
  await using files = await RootFs.open(rootDir)
  const root = await files.workingDirectory(parsePath(''))
  const mounts: OpenedFolder[] = []
  for (const { folder, target, isReadOnly } of folders) {
    const path = parsePath(folder)
    await files.mkdirs(path)
    const source = await files.workingDirectory(path)
    if (source !== join(root, ...path)) throw linked(folder)
    const inside = path.length === 0 ? undefined : join('/', basename(root), ...path)
    mounts.push({ source, target, inside, ...(isReadOnly && { isReadOnly }) })
  }
  return mounts
}

/**
 * Refuses a container that got another folder: the engine follows links, and one may have been put in the place of
 * a folder since it was opened. Processes that the daemon may not look into are not checked.
 */
export async function assertMounted({ pid }: ProcessId, folders: readonly OpenedFolder[]): Promise<void> {
  if (folders.length === 0 || pid <= 0) return
  let text: string
  try {
    text = await readFile(`/proc/${pid}/mountinfo`, 'utf8')
  } catch (cause) {
    if (['ENOENT', 'ESRCH', 'EINVAL', 'EACCES', 'EPERM'].includes(getCode(cause) ?? '')) return
    throw cause
  }
  const roots = new Map(text.split('\n').map((line) => getMount(line.split(' '))))
  for (const { source, target, inside } of folders) {
    const root = roots.get(target)
    // The root is relative to its file system, which may be mounted anywhere above.
    if (inside !== undefined && root !== undefined && !root.endsWith(inside)) throw linked(basename(source))
  }
}

/** The mount point of a line of mountinfo, and its root in the file system. */
function getMount(fields: readonly string[]): [point: string, root: string] {
  const [root = '', point = ''] = fields
    .slice(3, 5)
    .map((path) => path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))))
  return [point, root]
}

function linked(folder: string): Refusal {
  return new Refusal('ErrContainerFailed', { reason: `the folder ${folder} of the server is a link` })
}
