import { type ConflictPolicy, getDiskUsage, getFile, searchFiles } from '@innkeeper/contract/files'
import { deleteTrashEntry, emptyTrash, getTrash, restoreTrashEntry, type TrashEntry } from '@innkeeper/contract/trash'
import { use } from 'react'
import { basename } from '../../api/file-paths.ts'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { toast } from '../../ui/toast.tsx'

const staleMs = 30_000

/** The trash of a server. */
export function useTrash(server: string) {
  return useApiQuery(getTrash, { params: { id: server } }, { staleTime: staleMs })
}

/** Restores and deletes entries of the trash. */
export function useTrashActions(server: string) {
  const t = useT()
  const confirm = useConfirm()
  const params = { id: server }
  const showError = use(ShowErrorContext)
  const invalidates = [getTrash, getFile, searchFiles, getDiskUsage]
  const { mutateAsync: restoreOne } = useApiMutation(restoreTrashEntry, { invalidates })
  const { mutateAsync: restoreSilently } = useApiMutation(restoreTrashEntry, { invalidates, silent: true })
  const { mutate: removeOne } = useApiMutation(deleteTrashEntry, { invalidates: [getTrash] })
  const { mutate: removeAll } = useApiMutation(emptyTrash, { invalidates: [getTrash] })

  /** Stops at the first failure, which `useApiMutation` shows. The oldest content of a path is restored first. */
  const restore = async (ids: readonly string[], name: string) => {
    for (const entry of ids) await restoreOne({ params: { ...params, entry }, body: {} })
    toast.success(t('files.RestoredNamed', { name }))
  }
  return {
    undo: (ids: readonly string[], name: string) => void restore(ids, name).catch(() => undefined),
    /** Resolves with the name of an existing file, if `onConflict` is `refuse` and there is one: nothing was restored. */
    async restore({ id, path }: TrashEntry, onConflict: ConflictPolicy): Promise<string | undefined> {
      try {
        await restoreSilently({ params: { ...params, entry: id }, body: { existing: onConflict } })
        toast.success(t('files.RestoredNamed', { name: basename(path) }))
      } catch (error) {
        if (onConflict === 'refuse' && isRefusal(error, 'ErrFileExists')) {
          const { path: taken } = error.metadata
          return basename(typeof taken === 'string' ? taken : path)
        }
        showError(error)
      }
      return undefined
    },
    async remove(entry: TrashEntry): Promise<void> {
      const isConfirmed = await confirm({
        title: t('common.DeleteQuestion', { name: basename(entry.path) }),
        body: t('files.DeleteBody'),
        action: t('files.DeletePermanently'),
      })
      if (isConfirmed) removeOne({ params: { ...params, entry: entry.id } })
    },
    async empty(): Promise<void> {
      const isConfirmed = await confirm({
        title: t('files.EmptyTrash'),
        body: t('files.DeleteBody'),
        action: t('files.EmptyTrash'),
      })
      if (isConfirmed) removeAll({ params })
    },
  }
}
