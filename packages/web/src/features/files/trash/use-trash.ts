import { type ConflictPolicy, getDiskUsage, getFile, searchFiles } from '@innkeeper/contract/servers/files'
import {
  deleteTrashEntry,
  emptyTrash,
  getTrash,
  restoreTrashEntry,
  type TrashEntry,
} from '@innkeeper/contract/servers/trash'
import { basename } from '../../../api/file-paths.ts'
import { isRefusal, request } from '../../../api/request.ts'
import { useAction, useApiMutation } from '../../../api/use-action.ts'
import { useApiQuery } from '../../../api/use-api.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { useConfirm } from '../../../ui/overlays/confirm.ts'
import { toast } from '../../../ui/toasts/toast.tsx'

const staleMs = 30_000

/** The trash of a server. */
export function useTrash(server: string) {
  return useApiQuery(getTrash, { params: { id: server } }, { staleTime: staleMs })
}

/** An entry of the trash, and the name of a file that is where one of its files was. */
export interface RestoreConflict {
  readonly entry: TrashEntry
  readonly name: string
}

/** Restores and deletes entries of the trash. After `onFileExists` nothing was restored. */
export function useTrashActions(server: string, onFileExists?: (conflict: RestoreConflict) => void) {
  const t = useT()
  const confirm = useConfirm()
  const params = { id: server }
  const invalidates = [getTrash, getFile, searchFiles, getDiskUsage]
  const restoration = useAction(
    ({ entry: { id }, onConflict }: { readonly entry: TrashEntry; readonly onConflict: ConflictPolicy }) =>
      request(restoreTrashEntry, { params: { ...params, entry: id }, body: { existing: onConflict } }),
    {
      invalidates,
      onSuccess: (_, { entry }) => toast.success(t('files.RestoredNamed', { name: basename(entry.path) })),
      handleError: (error, { entry, onConflict }) => {
        if (onConflict !== 'refuse' || !isRefusal(error, 'ErrFileExists')) return false
        const { path } = error.metadata
        onFileExists?.({ entry, name: basename(typeof path === 'string' ? path : entry.path) })
        return true
      },
    },
  )
  const undo = useAction(
    // Stops at the first failure. The oldest content of a path is restored first.
    async ({ ids }: { readonly ids: readonly string[]; readonly restored: string }) => {
      for (const entry of ids) await request(restoreTrashEntry, { params: { ...params, entry }, body: {} })
    },
    { invalidates, onSuccess: (_, { restored }) => toast.success(restored) },
  )
  const { mutate: removeOne } = useApiMutation(deleteTrashEntry, { invalidates: [getTrash] })
  const { mutate: removeAll } = useApiMutation(emptyTrash, { invalidates: [getTrash] })

  return {
    /** Restores what a job deleted: one path with this name, or several. */
    undo: (ids: readonly string[], { name, count }: { readonly name: string; readonly count: number }) =>
      undo.mutate({
        ids,
        restored: count === 1 ? t('files.RestoredNamed', { name }) : t('files.RestoredCount', { count }),
      }),
    restore: restoration.mutate,
    remove: (entry: TrashEntry) =>
      confirm({
        title: t('common.DeleteQuestion', { name: basename(entry.path) }),
        body: t('files.DeleteBody'),
        action: t('files.DeletePermanently'),
        onConfirm: () => removeOne({ params: { ...params, entry: entry.id } }),
      }),
    empty: () =>
      confirm({
        title: t('files.EmptyTrash'),
        body: t('files.DeleteBody'),
        action: t('files.EmptyTrash'),
        onConfirm: () => removeAll({ params }),
      }),
  }
}
