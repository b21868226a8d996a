import { Step } from '@innkeeper/contract/operations'
import { createTask, listTaskRuns, listTasks, putTask } from '@innkeeper/contract/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { z } from 'zod'
import { isRefusal, request, requestWithResponse } from '../../api/request.ts'
import { getQueryKey, getVersion } from '../../api/use-api-query.ts'
import type { StoredDraft } from '../../forms/draft-storage.ts'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { useStoredDraft } from '../../forms/use-stored-draft.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorField } from '../../ui/error-message.ts'
import { toast, useShowError } from '../../ui/toast.tsx'
import { getStepErrors } from '../steps/step-messages.ts'
import { removeBlankLines } from '../steps/step-rules.ts'
import { taskErrorText } from './messages.ts'
import { canSave, hasChanged, plainEvents, type TaskForm, toTask, toTaskForm } from './task-form.ts'
import type { ListedTask } from './use-tasks.ts'

interface TaskFormOptions {
  readonly server: string
  /** Absent for a new task. */
  readonly task: ListedTask | undefined
}

interface EditedTask {
  /** The task as it is saved; absent until it is created. */
  readonly base: ListedTask | undefined
  readonly form: TaskForm
}

/** The state of the task dialog. */
export function useTaskForm({ server, task }: TaskFormOptions) {
  const t = useT()
  const showError = useShowError()
  const queries = useQueryClient()
  const [edited, setEdited, getEdited] = useLatestState<EditedTask>({ base: task, form: toTaskForm(task?.view) })
  const [isSaving, setIsSaving] = useState(false)
  const isRequestPending = useRef(false)
  const [isStale, setIsStale] = useState(false)
  const [revision, setRevision] = useState(0)
  /** Errors of the node by field: `timezone`, `operations.0.command`. */
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  /** Steps are validated from the first attempt to save. */
  const [isValidated, setIsValidated] = useState(false)

  const { base, form } = edited
  const saved = useMemo(() => toTaskForm(base?.view), [base])
  const isDirty = hasChanged(form, saved)
  const stored = useStoredDraft({
    id: `server-${server}-task-${base?.id ?? 'new'}`,
    draft: useMemo(() => (isDirty ? { saved: { form: saved }, edits: { form } } : noDraft), [isDirty, saved, form]),
    current: useMemo(() => ({ form: saved }), [saved]),
  })

  const update = (changes: Partial<EditedTask>) => {
    setEdited((before) => ({ ...before, ...changes }))
    setErrors(new Map())
  }
  const change = (changes: Partial<TaskForm>) => update({ form: { ...getEdited().form, ...changes } })
  /** Replaces values that the user edited. */
  const reset = (values: Partial<EditedTask>) => {
    update(values)
    setRevision((before) => before + 1)
  }
  const isDirtyNow = () => hasChanged(getEdited().form, toTaskForm(getEdited().base?.view))

  const handleError = (error: unknown) => {
    const field = errorField(error)
    if (isRefusal(error, 'ErrStaleVersion')) setIsStale(true)
    else if (field !== undefined && hasField(field)) setErrors(new Map([[field, taskErrorText(t, error)]]))
    else showError(error)
  }

  /** Saves the form. Edits made during the save stay. Returns the id of the task, or `undefined` if it was not saved. */
  const save = async ({ overwrite = false } = {}): Promise<string | undefined> => {
    const { form: draft } = getEdited()
    if (isRequestPending.current || !canSave(draft)) return undefined
    const patterns = draft.patterns.filter((pattern) => pattern !== '')
    const values = { ...draft, patterns, steps: removeBlankLines(draft.steps) }
    update({ form: values })
    setIsValidated(true)
    if (getStepErrors(t, values.steps).size > 0) return undefined
    isRequestPending.current = true
    setIsSaving(true)
    try {
      const task = await sendTask(server, getEdited().base, values, overwrite)
      // The draft of a new task has another key from now on.
      stored.drop()
      setEdited((before) => ({ ...before, base: task }))
      setIsStale(false)
      await Promise.all(
        [listTasks, listTaskRuns].map((call) => queries.invalidateQueries({ queryKey: getQueryKey(call) })),
      )
      return task.id
    } catch (error) {
      handleError(error)
      return undefined
    } finally {
      isRequestPending.current = false
      setIsSaving(false)
    }
  }
  /** Replaces the edited values with the task as it is saved now. */
  const reload = async () => {
    if (!base) return
    try {
      const { tasks } = await request(listTasks, { params: { id: server } })
      const view = tasks[base.id]
      if (!view) return void toast.error(t('errors.ErrTaskNotFound'))
      reset({ base: { id: base.id, view }, form: toTaskForm(view) })
      setIsStale(false)
    } catch (error) {
      showError(error)
    }
  }
  const discard = () => {
    reset({ form: toTaskForm(getEdited().base?.view) })
    stored.drop()
  }
  const restoreDraft = () => {
    const draft = parseStoredForm(stored.offered?.edits.form)
    const draftBase = parseStoredForm(stored.offered?.saved.form)
    if (draft) reset({ form: draft })
    // Another user saved the task after the draft was stored.
    if (draftBase && hasChanged(draftBase, saved)) setIsStale(true)
    stored.dismiss()
  }

  const errorsUnder = (list: 'operations' | 'triggers') =>
    [...errors].flatMap(([field, message]): [string, string][] =>
      field.startsWith(`${list}.`) ? [[field.slice(list.length + 1), message]] : [],
    )
  return {
    form,
    change,
    /** Absent until the task is created. */
    id: base?.id,
    isNew: base === undefined,
    /** Changes when the edited values are replaced. */
    revision,
    isDirty,
    /** `isDirty` outside of rendering. */
    isDirtyNow,
    canSave: canSave(form),
    isSaving,
    isStale,
    errors,
    /** Messages by path: `2.files`. */
    stepErrors: new Map([...(isValidated ? getStepErrors(t, form.steps) : []), ...errorsUnder('operations')]),
    /** Messages by index of the pattern. In the request, events precede patterns. */
    patternErrors: new Map(
      errorsUnder('triggers').map(([path, message]) => [Number.parseInt(path, 10) - form.events.length, message]),
    ),
    save,
    reload,
    discard,
    storedDraft: stored.offered,
    restoreDraft,
    dismissDraft: stored.dismiss,
  }
}

export type TaskFormState = ReturnType<typeof useTaskForm>

/** Whether the dialog shows errors of this field. */
function hasField(field: string): boolean {
  return ['name', 'cronSchedule', 'timezone'].includes(field) || /^(triggers|operations)\./.test(field)
}

/** Creates or updates a task. Rejects with `ErrStaleVersion` when it was changed since `base`, unless `overwrite`. */
async function sendTask(
  server: string,
  base: ListedTask | undefined,
  form: TaskForm,
  overwrite: boolean,
): Promise<ListedTask> {
  const body = toTask(form, base?.view)
  const view = { isRunning: false, ...base?.view, ...body }
  if (!base) {
    const { id } = await request(createTask, { params: { id: server }, body })
    return { id, view: { ...view, version: await readVersion(server, id, form) } }
  }
  const { id } = base
  const { headers } = await requestWithResponse(
    putTask,
    { params: { id: server, task: id }, body },
    { headers: overwrite ? {} : { 'if-match': `"${base.view.version}"` } },
  )
  const version = getVersion(headers)?.replaceAll('"', '') ?? (await readVersion(server, id, form))
  return { id, view: { ...view, version } }
}

/**
 * Reads the version of a saved task. Returns an empty version, with which the next save is refused as stale, when the
 * task was changed in between or the node does not respond.
 */
async function readVersion(server: string, id: string, form: TaskForm): Promise<string> {
  try {
    const view = (await request(listTasks, { params: { id: server } })).tasks[id]
    return view && !hasChanged(toTaskForm(view), form) ? view.version : ''
  } catch {
    // The task is saved nevertheless.
    return ''
  }
}

const noDraft: StoredDraft = { saved: {}, edits: {} }

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

function parseStoredForm(value: unknown): TaskForm | undefined {
  const form = StoredForm.safeParse(value).data
  return form && { ...form, timezone: form.timezone }
}
