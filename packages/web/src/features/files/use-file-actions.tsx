import { type FileWork, moveFile, putFile } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { useClipboard } from '@mantine/hooks'
import { useState } from 'react'
import { dirname, joinPath } from '../../api/file-paths.ts'
import { request } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { toast, useShowError } from '../../ui/toast.tsx'
import { captureKeysForDialog } from '../../ui/type-ahead.ts'
import type { Action } from './actions.ts'
import classes from './dialogs.module.css'
import { chunked, type Item } from './entries.ts'
import { openingOf } from './kinds.ts'
import { archiveNameOf, type TakenNames } from './names.ts'
import type { TransferKind } from './transfer.ts'
import { useDownload } from './use-download.ts'
import { useLookUp } from './use-listing.ts'

/** What is being asked in front of the list. */
export type Asking =
  | { readonly is: 'create'; readonly kind: 'file' | 'folder' }
  | { readonly is: 'rename'; readonly item: Item }
  | { readonly is: 'transfer'; readonly kind: TransferKind; readonly items: readonly Item[] }
  | { readonly is: 'extract'; readonly item: Item }
  | { readonly is: 'tooLarge'; readonly item: Item }

interface Needs {
  readonly server: { readonly id: string; readonly name: string }
  /** The folder in view and the names in it. */
  readonly path: string
  readonly names: TakenNames
  readonly canWrite: boolean
  readonly start: (work: FileWork) => Promise<void>
  readonly refresh: () => Promise<void>
  readonly onPath: (path: string) => void
  readonly onEdit: (path: string) => void
  readonly onPreview: (path: string) => void
}

/** An empty file, and never in the place of another. */
const onlyIfNew = { 'content-type': 'application/octet-stream', 'if-none-match': '*' }

/** How many names a question about deleting lists. */
const namesShown = 5

/** Everything that can be done with files and folders. */
export function useFileActions(needs: Needs) {
  const { server, path, names, canWrite, start, refresh, onPath, onEdit, onPreview } = needs
  const t = useT()
  const confirm = useConfirm()
  const tell = useShowError()
  const lookUp = useLookUp(server.id)
  const { copy } = useClipboard()
  const [asking, setAsked] = useState<Asking>()
  const setAsking = (next: Asking | undefined) => {
    if (next) captureKeysForDialog({ onEscape: () => setAsked(undefined) })
    setAsked(next)
  }
  const bring = useDownload(server.id)
  const moving = useApiMutation(moveFile, { silent: true })
  const params = { id: server.id }

  const begin = async (works: readonly FileWork[]) => {
    // A refusal has been shown; what was begun before it goes on.
    for (const work of works)
      if (
        !(await start(work).then(
          () => true,
          () => false,
        ))
      )
        return
  }
  const isTooMany = (items: readonly Item[]) => {
    if (items.length <= limits.pathsPerJob) return false
    toast.error(t('files.TooMany', { max: limits.pathsPerJob }))
    return true
  }
  const download = async (items: readonly Item[]) => {
    if (isTooMany(items)) return
    await bring(items.map((item) => item.path))
  }
  const archive = (items: readonly Item[]) => {
    const [first] = items
    if (!first || isTooMany(items)) return
    // Found things lie elsewhere: the names taken there are not known, and those here do no harm.
    const folder = items.length === 1 ? dirname(first.path) : path
    const destination = joinPath(folder, archiveNameOf(items, folder, server.name, names))
    return begin([{ kind: 'archive', paths: items.map((item) => item.path), destination }])
  }
  const remove = async (items: readonly Item[]) => {
    const [first] = items
    if (!first) return
    const count = items.length
    const more = count - namesShown
    const isSure = await confirm({
      title: count === 1 ? t('files.DeleteNamed', { name: first.name }) : t('files.DeleteCount', { count }),
      body: (
        <>
          {count > 1 && (
            <ul className={classes.names}>
              {items.slice(0, namesShown).map((item) => (
                <li key={item.path}>
                  <bdi>{item.name}</bdi>
                </li>
              ))}
              {more > 0 && <li>{t('files.AndMore', { count: more })}</li>}
            </ul>
          )}
          {t(items.some(({ isFolder }) => isFolder) ? 'files.DeleteFolderBody' : 'files.DeleteBody')}
        </>
      ),
      action:
        count > 1 ? t('files.DeleteThese', { count }) : t(first.isFolder ? 'files.DeleteFolder' : 'files.DeleteFile'),
      danger: true,
    })
    if (!isSure) return
    const paths = items.map((item) => item.path)
    await begin(chunked(paths, limits.pathsPerJob).map((some) => ({ kind: 'delete', paths: some })))
  }
  const openLink = async (item: Item) => {
    try {
      const target = await lookUp(item.path)
      open({ ...item, isFolder: target === 'folder', isLink: false })
    } catch (error) {
      tell(error)
    }
  }
  const open = (item: Item) => {
    // A listing does not say what a link leads to.
    if (item.isLink) return void openLink(item)
    const opening = openingOf(item)
    if (opening === 'folder') onPath(item.path)
    else if (opening === 'edit') onEdit(item.path)
    else if (opening === 'preview') onPreview(item.path)
    else if (opening === 'tooLarge') setAsking({ is: 'tooLarge', item })
    else if (opening === 'extract') {
      if (canWrite) setAsking({ is: 'extract', item })
      else void download([item])
    }
  }

  return {
    asking,
    ask: setAsking,
    begin,
    open,
    download,
    act(action: Action, items: readonly Item[]): void {
      const [item] = items
      if (!item) return
      if (action === 'preview') onPreview(item.path)
      else if (action === 'edit') onEdit(item.path)
      else if (action === 'download') void download(items)
      else if (action === 'rename') setAsking({ is: 'rename', item })
      else if (action === 'extract') setAsking({ is: 'extract', item })
      else if (action === 'archive') void archive(items)
      else if (action === 'delete') void remove(items)
      else if (action === 'copyPath') {
        copy(`/${item.path}`)
        toast.success(t('common.Copied'))
      } else setAsking({ is: 'transfer', kind: action, items })
    },
    /** Rejects with the refusal. */
    async create(kind: 'file' | 'folder', name: string): Promise<void> {
      const to = joinPath(path, name)
      const given = { params: { ...params, path: to }, query: kind === 'folder' ? { folder: 'true' } : {} }
      await request(putFile, given, kind === 'folder' ? {} : { headers: onlyIfNew })
      await refresh()
      if (kind === 'file') onEdit(to)
    },
    async rename(item: Item, name: string): Promise<void> {
      const to = joinPath(dirname(item.path), name)
      await moving.mutateAsync({ params, body: { from: item.path, to, existing: 'refuse' } })
      await refresh()
    },
  }
}
