import { deleteTask, listTasks } from '@innkeeper/contract/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { use, useCallback, useRef, useState } from 'react'
import { isRefusal, request } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useOnPageLeave } from '../../ui/page-scope.tsx'
import { toast } from '../../ui/toast.tsx'

/**
 * Tasks that are as good as deleted: gone from the list, and gone from the server when the message about it is, unless
 * somebody takes it back. They are deleted at once when the page is left, but not when its tab is only hidden.
 */
export function useRemoving(server: string) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const queries = useQueryClient()
  const [removing, setRemoving] = useState<ReadonlySet<string>>(new Set())
  const waiting = useRef(new Set<string>())

  const show = useCallback((id: string) => setRemoving((now) => new Set([...now].filter((other) => other !== id))), [])
  const finish = useCallback(
    async (id: string) => {
      if (!waiting.current.delete(id)) return
      try {
        await request(deleteTask, { params: { id: server, task: id } }, { keepalive: true })
      } catch (refusal) {
        // Somebody else was faster.
        if (!isRefusal(refusal, 'ErrTaskNotFound')) tell(refusal)
      }
      await queries.invalidateQueries({ queryKey: getQueryKey(listTasks) })
      show(id)
    },
    [server, queries, show, tell],
  )
  const remove = useCallback(
    (id: string, name: string) => {
      waiting.current.add(id)
      setRemoving((now) => new Set([...now, id]))
      const takeBack = () => {
        if (waiting.current.delete(id)) show(id)
        else toast.error(t('tasks.TooLate', { name }))
      }
      toast.success(t('tasks.Deleted', { name }), {
        action: { label: t('tasks.Undo'), run: takeBack },
        onGone: () => void finish(id),
      })
    },
    [t, show, finish],
  )

  useOnPageLeave(() => {
    for (const id of [...waiting.current]) void finish(id)
  })

  return { removing, remove }
}
