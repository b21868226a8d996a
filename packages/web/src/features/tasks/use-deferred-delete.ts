import { deleteTask, listTasks } from '@innkeeper/contract/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { isRefusal, request } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useOnPageLeave } from '../../ui/page-scope.tsx'
import { toast, useShowError } from '../../ui/toast.tsx'

/**
 * Deletes tasks with an Undo. A task is hidden at once, and deleted when its toast disappears or the user leaves the
 * page. Switching to another tab does not delete it.
 */
export function useDeferredDelete(server: string) {
  const t = useT()
  const showError = useShowError()
  const queries = useQueryClient()
  const [hiddenIds, setHiddenIds] = useState<ReadonlySet<string>>(new Set())
  const pendingIds = useRef(new Set<string>())

  const unhide = useCallback(
    (id: string) => setHiddenIds((before) => new Set([...before].filter((other) => other !== id))),
    [],
  )
  const commit = useCallback(
    async (id: string) => {
      if (!pendingIds.current.delete(id)) return
      try {
        await request(deleteTask, { params: { id: server, task: id } }, { keepalive: true })
      } catch (error) {
        // Another user has deleted it.
        if (!isRefusal(error, 'ErrTaskNotFound')) showError(error)
      }
      await queries.invalidateQueries({ queryKey: getQueryKey(listTasks) })
      unhide(id)
    },
    [server, queries, unhide, showError],
  )
  const remove = useCallback(
    (id: string, name: string) => {
      pendingIds.current.add(id)
      setHiddenIds((before) => new Set([...before, id]))
      const undo = () => {
        if (pendingIds.current.delete(id)) unhide(id)
        else toast.error(t('tasks.AlreadyDeleted', { name }))
      }
      toast.success(t('common.Deleted', { name }), {
        action: { label: t('common.Undo'), run: undo },
        onGone: () => void commit(id),
      })
    },
    [t, unhide, commit],
  )

  useOnPageLeave(() => {
    for (const id of [...pendingIds.current]) void commit(id)
  })

  return { hiddenIds, remove }
}
