import { deleteTask, listTasks } from '@innkeeper/contract/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { use, useCallback, useRef, useState } from 'react'
import { isRefusal, request } from '../../api/request.ts'
import { keyOf } from '../../api/use-call.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { useWhenLeft } from '../../ui/page-scope.tsx'
import { toast } from '../../ui/toast.tsx'

/**
 * Tasks that are as good as deleted: gone from the list, and gone from the server when the message about it is, unless
 * somebody takes it back. They are deleted at once when the page is left, but not when its tab is only hidden.
 */
export function useRemoving(server: string) {
  const text = useText()
  const tell = use(TellRefusalContext)
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
      await queries.invalidateQueries({ queryKey: keyOf(listTasks) })
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
        else toast.error(text('tasks.TooLate', { name }))
      }
      toast.success(text('tasks.Deleted', { name }), {
        action: { label: text('tasks.Undo'), run: takeBack },
        onGone: () => void finish(id),
      })
    },
    [text, show, finish],
  )

  useWhenLeft(() => {
    for (const id of [...waiting.current]) void finish(id)
  })

  return { removing, remove }
}
