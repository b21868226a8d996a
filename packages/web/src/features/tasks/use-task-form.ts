import { createTask, listTaskRuns, listTasks, putTask } from '@innkeeper/contract/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { use, useState } from 'react'
import { isRefusal, request } from '../../api/request.ts'
import { keyOf } from '../../api/use-call.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { fieldOf } from '../../ui/refusal.tsx'
import { toast } from '../../ui/toast.tsx'
import type { StepEditing } from './steps.ts'
import { formOf, hasChanged, maySave, type TaskForm, taskOf } from './task-form.ts'
import type { ListedTask } from './use-tasks.ts'
import { objectionText } from './words.ts'

interface Given {
  readonly server: string
  /** Absent for one that is yet to be. */
  readonly task: ListedTask | undefined
  readonly steps: Pick<StepEditing, 'problemsOf' | 'withoutBlankLines'>
}

/** What is typed into the dialog of a task, and how it is saved. */
export function useTaskForm({ server, task, steps }: Given) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const queries = useQueryClient()
  const [base, setBase] = useState(task)
  const [form, setForm] = useState(() => formOf(task?.view))
  const [isSaving, setIsSaving] = useState(false)
  const [isStale, setIsStale] = useState(false)
  /** What the node objected to, by field: `timezone`, `operations.0.command`. */
  const [objections, setObjections] = useState<ReadonlyMap<string, string>>(new Map())
  /** Steps are judged once somebody wanted to save them. */
  const [isJudged, setIsJudged] = useState(false)

  const change = (part: Partial<TaskForm>) => {
    setForm((now) => ({ ...now, ...part }))
    setObjections(new Map())
  }
  const begin = (from: ListedTask) => {
    setBase(from)
    setForm(formOf(from.view))
    setIsStale(false)
    setObjections(new Map())
  }

  const send = async (saved: TaskForm, over: boolean): Promise<string> => {
    const body = taskOf(saved, base?.view)
    if (!base) return (await request(createTask, { params: { id: server }, body })).id
    const headers: Record<string, string> = over ? {} : { 'if-match': `"${base.view.version}"` }
    await request(putTask, { params: { id: server, task: base.id }, body }, { headers })
    return base.id
  }
  const object = (refusal: unknown) => {
    const field = fieldOf(refusal)
    if (isRefusal(refusal, 'ErrStaleVersion')) setIsStale(true)
    else if (field !== undefined && isShown(field)) setObjections(new Map([[field, objectionText(text, refusal)]]))
    else tell(refusal)
  }

  /** Saves what is typed; answers the key of the task, or nothing when it was not saved. */
  const save = async ({ over = false } = {}): Promise<string | undefined> => {
    if (isSaving || !maySave(form)) return undefined
    const patterns = form.patterns.filter((pattern) => pattern !== '')
    const tidy = { ...form, patterns, steps: steps.withoutBlankLines(form.steps) }
    setForm(tidy)
    setIsJudged(true)
    if (steps.problemsOf(text, tidy.steps).size > 0) return undefined
    setIsSaving(true)
    try {
      const id = await send(tidy, over)
      await Promise.all([listTasks, listTaskRuns].map((call) => queries.invalidateQueries({ queryKey: keyOf(call) })))
      return id
    } catch (refusal) {
      object(refusal)
      return undefined
    } finally {
      setIsSaving(false)
    }
  }
  /** Takes what is on the node now in place of what was typed. */
  const reload = async () => {
    if (!base) return
    try {
      const { tasks } = await request(listTasks, { params: { id: server } })
      const view = tasks[base.id]
      if (view) begin({ id: base.id, view })
      else toast.error(text('errors.ErrTaskNotFound'))
    } catch (refusal) {
      tell(refusal)
    }
  }

  const objectionsTo = (list: 'operations' | 'triggers') =>
    [...objections].flatMap(([field, problem]): [string, string][] =>
      field.startsWith(`${list}.`) ? [[field.slice(list.length + 1), problem]] : [],
    )
  const stepProblems = new Map([...(isJudged ? steps.problemsOf(text, form.steps) : []), ...objectionsTo('operations')])
  // Events without a pattern stand before those with one.
  const patternProblems = new Map(
    objectionsTo('triggers').map(([path, problem]) => [Number.parseInt(path, 10) - form.events.length, problem]),
  )
  return {
    form,
    change,
    isNew: base === undefined,
    /** Stands for what was read from the node. */
    version: base?.view.version,
    isDirty: hasChanged(form, formOf(base?.view)),
    maySave: maySave(form),
    isSaving,
    isStale,
    objections,
    stepProblems,
    patternProblems,
    save,
    reload,
  }
}

export type TaskFormState = ReturnType<typeof useTaskForm>

/** Whether the dialog has a place for what is wrong with a field. */
function isShown(field: string): boolean {
  return ['name', 'cronSchedule', 'timezone'].includes(field) || /^(triggers|operations)\./.test(field)
}
