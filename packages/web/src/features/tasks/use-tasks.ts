import { limits } from '@innkeeper/contract/limits'
import { cancelTask, listTaskRuns, listTasks, runTask, type TaskView } from '@innkeeper/contract/tasks'
import { useRef } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { toast } from '../../ui/toast.tsx'
import { useRemoving } from './use-removing.ts'

/** A task with the key that it has on its server. */
export interface ListedTask {
  readonly id: string
  readonly view: TaskView
}

/** The tasks of a server, and what can be done with them from a list. */
export function useTasks(server: string) {
  const t = useT()
  const list = useApiQuery(
    listTasks,
    { params: { id: server } },
    {
      staleTime: 0,
      refetchInterval: ({ state }) => nextLook(Object.values(state.data?.tasks ?? {}), Date.now()),
    },
  )
  const running = useApiMutation(runTask, { invalidates: [listTasks, listTaskRuns] })
  const cancelling = useApiMutation(cancelTask, { invalidates: [listTasks, listTaskRuns] })
  const asked = useRef(new Set<string>())
  const { removing, remove } = useRemoving(server)

  const tasks: readonly ListedTask[] = Object.entries(list.data?.tasks ?? {})
    .map(([id, view]) => ({ id, view }))
    .filter(({ id }) => !removing.has(id))
    .sort((one, other) => one.view.name.localeCompare(other.view.name) || one.id.localeCompare(other.id))

  /** Answers whether it is running now. A double click asks once. */
  const run = async (id: string, name: string): Promise<boolean> => {
    if (asked.current.has(id)) return false
    asked.current.add(id)
    try {
      await running.mutateAsync({ params: { id: server, task: id }, query: {} })
    } catch {
      // It was told already.
      return false
    } finally {
      asked.current.delete(id)
    }
    toast.success(t('tasks.Started', { name }))
    return true
  }
  const cancel = (id: string) => {
    // A refusal is told where it is met.
    void cancelling.mutateAsync({ params: { id: server, task: id } }).catch(() => undefined)
  }

  return { list, tasks, timezone: list.data?.timezone, run, cancel, remove }
}

export type Tasks = ReturnType<typeof useTasks>

/** After how long to look again: often while one runs or is about to, else now and then. */
export function nextLook(tasks: readonly Pick<TaskView, 'isRunning' | 'nextRun'>[], now: number): number {
  const waits = tasks.map(({ isRunning, nextRun }) => {
    if (isRunning) return limits.tasksEveryMs
    return nextRun === undefined ? limits.tasksIdleMs : Date.parse(nextRun) - now + limits.tasksEveryMs
  })
  return Math.max(limits.tasksEveryMs, Math.min(limits.tasksIdleMs, ...waits))
}
