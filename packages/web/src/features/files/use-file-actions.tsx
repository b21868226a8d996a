import { type FileJobRequest, moveFile, putFile } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import { List } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useState } from 'react'
import { dirname, joinPath } from '../../api/file-paths.ts'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { captureKeysForDialog } from '../../hotkeys/key-capture.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import type { Action } from './actions.ts'
import { chunk, type FileItem } from './entries.ts'
import { getOpenAction } from './file-types.ts'
import classes from './files.module.css'
import { type ExistingNames, getArchiveName } from './names.ts'
import type { TransferMode } from './transfer.ts'
import { useTrash } from './trash/use-trash.ts'
import { useDownload } from './use-download.ts'
import { useResolveType } from './use-listing.ts'

/** The open dialog. */
export type DialogState =
  | { readonly type: 'create'; readonly itemType: 'file' | 'folder' }
  | { readonly type: 'rename'; readonly item: FileItem }
  | { readonly type: 'transfer'; readonly mode: TransferMode; readonly items: readonly FileItem[] }
  | { readonly type: 'extract'; readonly item: FileItem }
  | { readonly type: 'tooLarge'; readonly item: FileItem }
  | { readonly type: 'trash' }

interface FileActionOptions {
  readonly server: { readonly id: string; readonly name: string }
  /** The current folder and the names in it. */
  readonly path: string
  readonly names: ExistingNames
  readonly canWrite: boolean
  /** Starts a job; resolves with whether it was started. */
  readonly start: (jobRequest: FileJobRequest) => Promise<boolean>
  readonly refresh: () => Promise<void>
  readonly onPath: (path: string) => void
  readonly onEdit: (path: string) => void
  readonly onPreview: (path: string) => void
}

const emptyFileHeaders = { 'content-type': 'application/octet-stream' }

/** How many names the delete confirmation lists. */
const maxListedNames = 5

function getDeleteBody(items: readonly FileItem[], isKept: boolean): TranslationKey {
  if (isKept) return 'files.CanBeRestored'
  return items.some(({ isFolder }) => isFolder) ? 'files.DeleteFolderBody' : 'files.DeleteBody'
}

/** The actions on files and folders, and the dialog that one of them opened. */
export function useFileActions(options: FileActionOptions) {
  const { server, path, names, canWrite, start, refresh, onPath, onEdit, onPreview } = options
  const t = useT()
  const confirm = useConfirm()
  const resolveType = useResolveType(server.id)
  const { copy } = useClipboard()
  const [dialog, setDialog] = useState<DialogState>()
  const openDialog = (next: DialogState | undefined) => {
    if (next) captureKeysForDialog({ onEscape: () => setDialog(undefined) })
    setDialog(next)
  }
  const startDownload = useDownload(server.id)
  const trash = useTrash(server.id)
  const isKept = (trash.data?.days ?? 0) > 0
  const params = { id: server.id }

  /** Stops at the first job that could not be started. */
  const startJobs = async (jobRequests: readonly FileJobRequest[]) => {
    for (const jobRequest of jobRequests) if (!(await start(jobRequest))) return
  }
  const isTooMany = (items: readonly FileItem[]) => {
    if (items.length <= limits.pathsPerJob) return false
    toast.error(t('files.TooMany', { count: limits.pathsPerJob }))
    return true
  }
  const download = async (items: readonly FileItem[]) => {
    if (!isTooMany(items)) await startDownload(items.map((item) => item.path))
  }
  const archive = (items: readonly FileItem[]) => {
    const [first] = items
    if (!first || isTooMany(items)) return
    // The name is unique in the current folder. The folder of a search result is not listed, so it may not be there.
    const folder = items.length === 1 ? dirname(first.path) : path
    const destination = joinPath(folder, getArchiveName(items, folder, server.name, names))
    return startJobs([{ kind: 'archive', paths: items.map((item) => item.path), destination }])
  }
  const remove = async (items: readonly FileItem[]) => {
    const [first] = items
    if (!first) return
    const count = items.length
    const more = count - maxListedNames
    const isConfirmed = await confirm({
      title: count === 1 ? t('common.DeleteQuestion', { name: first.name }) : t('files.DeleteCount', { count }),
      body: (
        <>
          {count > 1 && (
            <List mb="sm" className={classes.wrapAnywhere}>
              {items.slice(0, maxListedNames).map((item) => (
                <List.Item key={item.path}>
                  <bdi>{item.name}</bdi>
                </List.Item>
              ))}
              {more > 0 && <List.Item>{t('common.AndMore', { count: more })}</List.Item>}
            </List>
          )}
          {t(getDeleteBody(items, isKept))}
        </>
      ),
      action:
        count > 1 ? t('files.DeleteItems', { count }) : t(first.isFolder ? 'files.DeleteFolder' : 'files.DeleteFile'),
    })
    if (!isConfirmed) return
    const paths = items.map((item) => item.path)
    await startJobs(chunk(paths, limits.pathsPerJob).map((batch) => ({ kind: 'delete', paths: batch })))
  }
  const { mutate: openLink } = useAction(async (item: FileItem) => {
    const target = await resolveType(item.path)
    open({ ...item, isFolder: target === 'folder', isLink: false })
  })
  const open = (item: FileItem) => {
    // A listing does not contain the type of a link's target.
    if (item.isLink) return void openLink(item)
    const action = getOpenAction(item)
    if (action === 'folder') onPath(item.path)
    else if (action === 'edit') onEdit(item.path)
    else if (action === 'preview') onPreview(item.path)
    else if (action === 'tooLarge') openDialog({ type: 'tooLarge', item })
    else if (action === 'extract') {
      if (canWrite) openDialog({ type: 'extract', item })
      else void download([item])
    }
  }

  return {
    dialog,
    openDialog,
    open,
    download,
    runAction(action: Action, items: readonly FileItem[]): void {
      const [item] = items
      if (!item) return
      if (action === 'preview') onPreview(item.path)
      else if (action === 'edit') onEdit(item.path)
      else if (action === 'download') void download(items)
      else if (action === 'rename') openDialog({ type: 'rename', item })
      else if (action === 'extract') openDialog({ type: 'extract', item })
      else if (action === 'archive') void archive(items)
      else if (action === 'delete') void remove(items)
      else if (action === 'copyPath') {
        copy(`/${item.path}`)
        toast.success(t('common.Copied'))
      } else openDialog({ type: 'transfer', mode: action, items })
    },
    /** Rejects with the `Refusal`. */
    async create(itemType: 'file' | 'folder', name: string): Promise<void> {
      const newPath = joinPath(path, name)
      const isFolder = itemType === 'folder'
      const input = { params: { ...params, path: newPath }, query: isFolder ? { folder: 'true' } : {} }
      // An existing file is not overwritten.
      await request(putFile, input, isFolder ? {} : { headers: emptyFileHeaders, precondition: 'new' })
      await refresh()
      if (!isFolder) onEdit(newPath)
    },
    /** Rejects with the `Refusal`. */
    async rename(item: FileItem, name: string): Promise<void> {
      const newPath = joinPath(dirname(item.path), name)
      await request(moveFile, { params, body: { from: item.path, to: newPath, existing: 'refuse' } })
      await refresh()
    },
  }
}
