import {
  cancelTask,
  deleteTask,
  listTaskRuns,
  listTasks,
  runTask,
  type TaskView,
} from '@innkeeper/contract/servers/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isRefusal, request } from '../../api/request.ts'
import { useAction, useApiMutation } from '../../api/use-action.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { usePageCleanup } from '../../ui/layout/page-scope.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

/** Polling while a task runs. */
export const runningPollMs = 1_000
/** Polling for runs by triggers. */
export const idlePollMs = 10_000

/** A task with its id. */
export interface ListedTask {
  readonly id: string
  readonly view: TaskView
}

/** The tasks of a server and the actions of the list. */
export function useTasks(server: string) {
  const t = useT()
  const { compareNames } = useFormatters()
  const query = useApiQuery(
    listTasks,
    { params: { id: server } },
    {
      staleTime: 0,
      refetchInterval: ({ state }) => nextPollMs(Object.values(state.data?.tasks ?? {}), Date.now()),
    },
  )
  const { mutate: startRun } = useApiMutation(runTask, { invalidates: [listTasks, listTaskRuns] })
  const { mutate: cancelRun } = useApiMutation(cancelTask, { invalidates: [listTasks, listTaskRuns] })
  const startingIds = useRef(new Set<string>())
  const { hiddenIds, remove } = useDeferredDelete(server)

  const tasks: readonly ListedTask[] = Object.entries(query.data?.tasks ?? {})
    .map(([id, view]) => ({ id, view }))
    .filter(({ id }) => !hiddenIds.has(id))
    .sort((a, b) => compareNames(a.view.name, b.view.name) || a.id.localeCompare(b.id))

  /** Runs a task, once for a double click. Resolves with whether it has started. */
  const run = async (id: string, name: string): Promise<boolean> => {
    if (startingIds.current.has(id)) return false
    startingIds.current.add(id)
    const isStarted = await startRun({ params: { id: server, task: id }, query: {} })
    startingIds.current.delete(id)
    if (!isStarted) return false
    toast.success(t('tasks.Started', { name }))
    return true
  }
  const cancel = (id: string) => cancelRun({ params: { id: server, task: id } })

  const { timezone, hasConditions = false } = query.data ?? {}
  return { query, tasks, timezone, hasConditions, run, cancel, remove }
}

/** The time until the next poll: short while a task runs or is due. */
export function nextPollMs(tasks: readonly Pick<TaskView, 'isRunning' | 'nextRun'>[], now: number): number {
  const waits = tasks.map(({ isRunning, nextRun }) => {
    if (isRunning) return runningPollMs
    return nextRun === undefined ? idlePollMs : Date.parse(nextRun) - now + runningPollMs
  })
  return Math.max(runningPollMs, Math.min(idlePollMs, ...waits))
}

/**
 * Deletes tasks with an Undo. A task is hidden at once, and deleted when its toast disappears or the user leaves the
 * page. Switching to another tab does not delete it.
 */
function useDeferredDelete(server: string) {
  const t = useT()
  const queries = useQueryClient()
  const [hiddenIds, setHiddenIds] = useState<ReadonlySet<string>>(new Set())
  const pendingIds = useRef(new Set<string>())
  const deletion = useAction(
    (task: string) => request(deleteTask, { params: { id: server, task } }, { keepalive: true }),
    // Another user has deleted it.
    { handleError: (error) => isRefusal(error, 'ErrTaskNotFound') },
  )

  const unhide = (id: string) => setHiddenIds((before) => new Set([...before].filter((other) => other !== id)))
  const commit = async (id: string) => {
    if (!pendingIds.current.delete(id)) return
    await deletion.mutate(id)
    await queries.invalidateQueries({ queryKey: getQueryKey(listTasks) })
    unhide(id)
  }
  const remove = (id: string, name: string) => {
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
  }

  usePageCleanup(() => {
    for (const id of [...pendingIds.current]) void commit(id)
  })

  return { hiddenIds, remove }
}
