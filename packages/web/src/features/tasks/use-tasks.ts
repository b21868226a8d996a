import { cancelTask, listTaskRuns, listTasks, runTask, type TaskView } from '@innkeeper/contract/tasks'
import { useRef } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDeferredDelete } from './use-deferred-delete.ts'

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
  const { mutateAsync: startRun } = useApiMutation(runTask, { invalidates: [listTasks, listTaskRuns] })
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
    try {
      await startRun({ params: { id: server, task: id }, query: {} })
    } catch {
      // `useApiMutation` has shown the error.
      return false
    } finally {
      startingIds.current.delete(id)
    }
    toast.success(t('tasks.Started', { name }))
    return true
  }
  const cancel = (id: string) => cancelRun({ params: { id: server, task: id } })

  return { query, tasks, timezone: query.data?.timezone, run, cancel, remove }
}

/** The time until the next poll: short while a task runs or is due. */
export function nextPollMs(tasks: readonly Pick<TaskView, 'isRunning' | 'nextRun'>[], now: number): number {
  const waits = tasks.map(({ isRunning, nextRun }) => {
    if (isRunning) return runningPollMs
    return nextRun === undefined ? idlePollMs : Date.parse(nextRun) - now + runningPollMs
  })
  return Math.max(runningPollMs, Math.min(idlePollMs, ...waits))
}
