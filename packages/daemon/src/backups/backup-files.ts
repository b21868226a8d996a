import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { FileEntry, searchFiles } from '@innkeeper/contract/servers/files'
import { z } from 'zod'
import type { DeniedFiles } from '../files/path/denied-files.ts'
import { formatPath, type SafePath } from '../files/path/safe-path.ts'
import { backupTimeoutMs, type Restic } from './storage/restic.ts'
import { invalidByte, requireSnapshot, serverTag } from './storage/snapshots.ts'

const Node = z.object({
  name: z.string(),
  type: z.string(),
  path: z.string(),
  size: z.number().optional(),
  mtime: z.string().optional(),
})
type Node = z.infer<typeof Node>

/** What is at a path of a backup. */
export interface BackupEntry {
  /** Undefined for the directory of the server. */
  readonly isFolder: boolean
  /** The contents of a directory. */
  readonly entries: readonly FileEntry[]
}

interface Place {
  readonly server: string
  readonly snapshot: string
  readonly path: SafePath
}

/** Throws ErrBackupNotFound when the snapshot is not of this server, ErrFileNotFound when nothing is at the path. */
export async function readBackupFiles(
  restic: Restic,
  { server, snapshot, path }: Place,
  signal: AbortSignal,
): Promise<BackupEntry> {
  const at = formatPath(path)
  // restic does not find names that are not UTF-8 by what it shows of them.
  const only = at.includes(invalidByte) ? [] : [at]
  const found: Node[] = []
  let isOwn = false
  const onMessage = (message: unknown) => {
    const tags = z.object({ tags: z.array(z.string()).nullish() }).safeParse(message).data?.tags
    isOwn ||= tags?.includes(serverTag(server)) ?? false
    const node = Node.safeParse(message).data
    if (node && (node.path === at || getParent(node) === at)) found.push(node)
  }
  await restic.run(['ls', '--no-lock', '--', snapshot, ...only], { signal, onMessage })
  if (!isOwn) throw new Refusal('ErrBackupNotFound')
  const self = found.find((node) => node.path === at)
  if (path.length > 0 && !self) throw new Refusal('ErrFileNotFound', { path: at })
  return {
    isFolder: path.length === 0 || self?.type === 'dir',
    entries: found.filter((node) => node !== self).map(getEntry),
  }
}

const maxSearchResults = 500

/** Files and folders below a path whose names contain a text. Throws ErrBackupNotFound when the snapshot is not of this server. */
export async function searchBackupFiles(
  restic: Restic,
  { server, snapshot, path, text }: Place & { readonly text: string },
  signal: AbortSignal,
): Promise<ResponseOf<typeof searchFiles>> {
  await requireSnapshot(restic, { server, snapshot }, signal)
  const [folder, query] = [path.length === 0 ? '/' : `${formatPath(path)}/`, text.toLowerCase()]
  const found: ResponseOf<typeof searchFiles>['found'] = []
  let isComplete = true
  // Not collected: a backup may have very many files.
  const onMessage = (message: unknown) => {
    const node = Node.safeParse(message).data
    if (!node?.path.startsWith(folder) || !node.name.toLowerCase().includes(query)) return
    if (found.length < maxSearchResults) found.push({ ...getEntry(node), path: getParent(node) })
    else isComplete = false
  }
  await restic.run(['ls', '--no-lock', '--', snapshot], { signal, onMessage })
  return { found, isComplete }
}

/** Throws ErrFileDenied when a file below a path is kept from the user: a folder is downloaded as a whole. */
export async function refuseDeniedInBackup(
  restic: Restic,
  { server, snapshot, path, denied }: Place & { readonly denied: DeniedFiles },
  signal: AbortSignal,
): Promise<void> {
  await requireSnapshot(restic, { server, snapshot }, signal)
  const folder = path.length === 0 ? '/' : `${formatPath(path)}/`
  let found: string | undefined
  const onMessage = (message: unknown) => {
    const node = Node.safeParse(message).data
    if (!found && node?.path.startsWith(folder) && denied.has(node.path.split('/').filter(Boolean))) found = node.path
  }
  await restic.run(['ls', '--no-lock', '--', snapshot], { signal, onMessage })
  if (found !== undefined) throw new Refusal('ErrFileDenied', { path: found })
}

const getParent = ({ path, name }: Node) => path.slice(0, -name.length - 1) || '/'

function getEntry({ name, type, size = 0, mtime }: Node): FileEntry {
  const modifyTime = Math.floor(Date.parse(mtime ?? '') / 1000) || 0
  const dot = name.lastIndexOf('.')
  return {
    name,
    isFile: type !== 'dir',
    ...(size > 0 && { size }),
    ...(modifyTime > 0 && { modifyTime }),
    ...(type !== 'dir' && dot >= 0 && { extension: name.slice(dot) }),
    ...(type === 'symlink' && { isLink: true }),
    ...(!['dir', 'file', 'symlink'].includes(type) && { isOdd: true }),
  }
}

const ListedFile = z.object({ type: z.literal('file'), path: z.string(), size: z.number().default(0) })
type ListedFile = z.infer<typeof ListedFile>

/** All files of a snapshot. */
export async function listFiles(restic: Restic, snapshot: string, signal: AbortSignal): Promise<ListedFile[]> {
  const files: ListedFile[] = []
  await restic.run(['ls', '--no-lock', '--', snapshot], {
    onMessage: (message) => {
      const { success, data } = ListedFile.safeParse(message)
      if (success) files.push(data)
    },
    timeoutMs: backupTimeoutMs,
    signal,
  })
  return files
}

/** The files that a restore of these paths restores. Names that are not UTF-8 look alike, those of folders too. */
export function filesAt<T extends { readonly path: string }>(files: readonly T[], paths: readonly string[]): T[] {
  const restored = new Set(paths)
  return files.filter(({ path }) => restored.has(path) || isInside(path, restored))
}

function isInside(path: string, folders: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (folders.has(path.slice(0, end))) return true
  }
  return false
}

/** The bytes of files together. */
export function getSize(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
