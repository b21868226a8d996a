import { Step } from '@innkeeper/contract/operations'
import { createTask, listTaskRuns, listTasks, putTask } from '@innkeeper/contract/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { use, useMemo, useRef, useState } from 'react'
import { z } from 'zod'
import { isRefusal, request, requestWithResponse } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { getQueryKey, getVersion } from '../../api/use-api-query.ts'
import type { StoredDraft } from '../../forms/draft-storage.ts'
import { useStoredDraft } from '../../forms/use-stored-draft.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorField } from '../../ui/error-message.ts'
import { toast } from '../../ui/toast.tsx'
import type { StepEditing } from './steps.ts'
import { formOf, hasChanged, maySave, plainEvents, type TaskForm, taskOf } from './task-form.ts'
import type { ListedTask } from './use-tasks.ts'
import { objectionText } from './words.ts'

interface Given {
  readonly server: string
  /** Absent for one that is yet to be. */
  readonly task: ListedTask | undefined
  readonly steps: Pick<StepEditing, 'problemsOf' | 'withoutBlankLines'>
}

/** What the form started from, absent for a task that is yet to be created, and what is typed. */
interface Edited {
  readonly base: ListedTask | undefined
  readonly form: TaskForm
}

/** What is typed into the dialog of a task, and how it is saved. */
export function useTaskForm({ server, task, steps }: Given) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const queries = useQueryClient()
  const [edited, setEdited] = useState<Edited>(() => ({ base: task, form: formOf(task?.view) }))
  /** The same, as asynchronous work and the leave guard of a hidden tab read it. */
  const latest = useRef(edited)
  const [isSaving, setIsSaving] = useState(false)
  const underWay = useRef(false)
  const [isStale, setIsStale] = useState(false)
  /** Another one each time that other values were put in. */
  const [revision, setRevision] = useState(0)
  /** What the node objected to, by field: `timezone`, `operations.0.command`. */
  const [objections, setObjections] = useState<ReadonlyMap<string, string>>(new Map())
  /** Steps are judged once somebody wanted to save them. */
  const [isJudged, setIsJudged] = useState(false)

  const { base, form } = edited
  const saved = useMemo(() => formOf(base?.view), [base])
  const isDirty = hasChanged(form, saved)
  const stored = useStoredDraft({
    id: `server-${server}-task-${base?.id ?? 'new'}`,
    draft: useMemo(() => (isDirty ? { saved: { form: saved }, edits: { form } } : noDraft), [isDirty, saved, form]),
    current: useMemo(() => ({ form: saved }), [saved]),
  })

  const become = (part: Partial<Edited>) => {
    latest.current = { ...latest.current, ...part }
    setEdited(latest.current)
  }
  const change = (part: Partial<TaskForm>) => {
    become({ form: { ...latest.current.form, ...part } })
    setObjections(new Map())
  }
  /** Puts other values in than those that were typed. */
  const begin = (from: Partial<Edited>) => {
    become(from)
    setRevision((now) => now + 1)
    setObjections(new Map())
  }
  const isDirtyNow = () => hasChanged(latest.current.form, formOf(latest.current.base?.view))

  /** Sends a form. Returns the task as it is saved now. */
  const send = async (sent: TaskForm, over: boolean): Promise<ListedTask> => {
    const { base } = latest.current
    const body = taskOf(sent, base?.view)
    const view = { isRunning: false, ...base?.view, ...body }
    if (!base) {
      const { id } = await request(createTask, { params: { id: server }, body })
      return { id, view: { ...view, version: await versionSaved(server, id, sent) } }
    }
    const { id } = base
    const condition: Record<string, string> = over ? {} : { 'if-match': `"${base.view.version}"` }
    const { headers } = await requestWithResponse(
      putTask,
      { params: { id: server, task: id }, body },
      { headers: condition },
    )
    const version = getVersion(headers)?.replaceAll('"', '') ?? (await versionSaved(server, id, sent))
    return { id, view: { ...view, version } }
  }
  const object = (refusal: unknown) => {
    const field = errorField(refusal)
    if (isRefusal(refusal, 'ErrStaleVersion')) setIsStale(true)
    else if (field !== undefined && isShown(field)) setObjections(new Map([[field, objectionText(t, refusal)]]))
    else tell(refusal)
  }

  /** Saves what is typed. What is typed meanwhile stays. Returns the id of the task, or nothing when it was not saved. */
  const save = async ({ over = false } = {}): Promise<string | undefined> => {
    const { form } = latest.current
    if (underWay.current || !maySave(form)) return undefined
    const patterns = form.patterns.filter((pattern) => pattern !== '')
    const tidy = { ...form, patterns, steps: steps.withoutBlankLines(form.steps) }
    become({ form: tidy })
    setIsJudged(true)
    if (steps.problemsOf(t, tidy.steps).size > 0) return undefined
    underWay.current = true
    setIsSaving(true)
    try {
      const base = await send(tidy, over)
      // A new task has its draft under another id from now on.
      stored.drop()
      become({ base })
      setIsStale(false)
      await Promise.all(
        [listTasks, listTaskRuns].map((call) => queries.invalidateQueries({ queryKey: getQueryKey(call) })),
      )
      return base.id
    } catch (refusal) {
      object(refusal)
      return undefined
    } finally {
      underWay.current = false
      setIsSaving(false)
    }
  }
  /** Takes what is on the node now in place of what was typed. */
  const reload = async () => {
    if (!base) return
    try {
      const { tasks } = await request(listTasks, { params: { id: server } })
      const view = tasks[base.id]
      if (!view) return void toast.error(t('errors.ErrTaskNotFound'))
      begin({ base: { id: base.id, view }, form: formOf(view) })
      setIsStale(false)
    } catch (refusal) {
      tell(refusal)
    }
  }
  const discard = () => {
    begin({ form: formOf(latest.current.base?.view) })
    stored.drop()
  }
  const restore = () => {
    const { saved: then, edits } = stored.offered ?? noDraft
    const draft = storedFormIn(edits)
    const start = storedFormIn(then)
    if (draft) begin({ form: draft })
    // Somebody else saved another task since.
    if (start && hasChanged(start, saved)) setIsStale(true)
    stored.endOffer()
  }

  const objectionsTo = (list: 'operations' | 'triggers') =>
    [...objections].flatMap(([field, problem]): [string, string][] =>
      field.startsWith(`${list}.`) ? [[field.slice(list.length + 1), problem]] : [],
    )
  const stepProblems = new Map([...(isJudged ? steps.problemsOf(t, form.steps) : []), ...objectionsTo('operations')])
  // Events without a pattern stand before those with one.
  const patternProblems = new Map(
    objectionsTo('triggers').map(([path, problem]) => [Number.parseInt(path, 10) - form.events.length, problem]),
  )
  return {
    form,
    change,
    /** Absent until it is created. */
    id: base?.id,
    isNew: base === undefined,
    revision,
    isDirty,
    /** The same before it is rendered. */
    isDirtyNow,
    maySave: maySave(form),
    isSaving,
    isStale,
    objections,
    stepProblems,
    patternProblems,
    save,
    reload,
    discard,
    /** A draft that an earlier session left. */
    offered: stored.offered,
    restore,
    forgetOffer: stored.endOffer,
  }
}

export type TaskFormState = ReturnType<typeof useTaskForm>

/** Whether the dialog has a place for what is wrong with a field. */
function isShown(field: string): boolean {
  return ['name', 'cronSchedule', 'timezone'].includes(field) || /^(triggers|operations)\./.test(field)
}

/**
 * The version of a task as it was just saved. When the node has another task by now, or does not answer, no version: the
 * next save is then refused as stale rather than overwriting what is not known here.
 */
async function versionSaved(server: string, id: string, sent: TaskForm): Promise<string> {
  try {
    const view = (await request(listTasks, { params: { id: server } })).tasks[id]
    return view && !hasChanged(formOf(view), sent) ? view.version : ''
  } catch {
    // It is saved all the same.
    return ''
  }
}

const noDraft: StoredDraft = { saved: {}, edits: {} }

/** A form as it is kept over a lost session. */
const StoredForm = z.object({
  name: z.string(),
  isScheduled: z.boolean(),
  cron: z.string(),
  timezone: z.string().optional(),
  catchUp: z.boolean(),
  events: z.array(z.enum(plainEvents)),
  patterns: z.array(z.string()),
  steps: z.array(Step),
})

function storedFormIn({ form }: Readonly<Record<string, unknown>>): TaskForm | undefined {
  const read = StoredForm.safeParse(form).data
  return read && { ...read, timezone: read.timezone }
}
