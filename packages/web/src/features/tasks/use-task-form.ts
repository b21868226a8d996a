import { Refusal } from '@innkeeper/contract/errors/refusals'
import { createTask, listTaskRuns, listTasks, putTask } from '@innkeeper/contract/servers/tasks'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { request, requestVersioned } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api.ts'
import { type Edit, type Saved, useSaveForm } from '../../forms/use-save-form.ts'
import type { FieldErrors } from '../../forms/validation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { errorField } from '../../ui/text/error-message.ts'
import { getStepErrors } from '../steps/step-rules.ts'
import { taskErrorText } from './messages.ts'
import { canSave, normalizeTask, type TaskForm, toTask, toTaskForm } from './task-form.ts'
import type { ListedTask } from './use-tasks.ts'

interface TaskFormOptions {
  readonly server: string
  /** Absent for a new task. */
  readonly task: ListedTask | undefined
  /** `isClean` is false when edits were made during the save. */
  readonly onSaved: (isClean: boolean) => void
}

const noErrors: ReadonlyMap<string, string> = new Map()

/** The form of the task dialog. */
export function useTaskForm({ server, task, onSaved }: TaskFormOptions) {
  const t = useT()
  const queries = useQueryClient()
  const { list } = useFormatters()
  const [base, setBase] = useState(task)
  /** The same outside of rendering: a task can be saved twice before the dialog renders again. */
  const latest = useRef(task)
  /** Errors of the node by path: `operations.0.command`. */
  const [pathErrors, setPathErrors] = useState(noErrors)
  /** Steps are validated from the first attempt to save. */
  const [isValidated, setIsValidated] = useState(false)

  const setBaseTask = (next: ListedTask): Saved<TaskForm> => {
    latest.current = next
    setBase(next)
    return toSaved(next)
  }
  const form = useSaveForm<TaskForm, string, ListedTask>({
    id: `server-${server}-task-${base?.id ?? 'new'}`,
    saved: useMemo(() => toSaved(base), [base]),
    // Save also closes the dialog when nothing was edited.
    allowUnchanged: true,
    normalize: normalizeTask,
    getLabel: (field) => t(`tasks.Field_${field}`),
    formatValue: (field, value) => {
      if (Array.isArray(value)) return field === 'steps' ? t('tasks.StepCount', { count: value.length }) : list(value)
      return typeof value === 'boolean' ? t(value ? 'common.On' : 'common.Off') : String(value)
    },
    toField: toFormField,
    validate: ({ steps }): FieldErrors<TaskForm> =>
      getStepErrors(t, steps).size > 0 ? { steps: t('tasks.StepsIncomplete') } : {},
    reload: async () => {
      const id = latest.current?.id ?? ''
      const { tasks } = await request(listTasks, { params: { id: server } })
      const view = tasks[id]
      if (!view) throw new Refusal('ErrTaskNotFound')
      return setBaseTask({ id, view })
    },
    send: async (edit) => {
      setPathErrors(noErrors)
      try {
        const saved = await sendTask(server, latest.current, edit)
        setBaseTask(saved)
        return saved
      } catch (error) {
        const path = errorField(error)
        if (path !== undefined && /^(triggers|operations)\./.test(path)) {
          setPathErrors(new Map([[path, taskErrorText(t, error)]]))
        }
        throw error
      }
    },
    onSaved: async () => {
      const endpoints = [listTasks, listTaskRuns]
      await Promise.all(endpoints.map((endpoint) => queries.invalidateQueries({ queryKey: getQueryKey(endpoint) })))
      onSaved(!form.isDirtyNow())
    },
  })
  if (form.errors.steps !== undefined && !isValidated) setIsValidated(true)

  const errorsUnder = (name: 'operations' | 'triggers') =>
    [...pathErrors].flatMap(([path, message]): [string, string][] =>
      path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), message]] : [],
    )
  const { values } = form
  return {
    ...form,
    change: (changes: Partial<TaskForm>) => {
      setPathErrors(noErrors)
      form.set(changes)
    },
    isNew: base === undefined,
    canSave: canSave(values),
    /** Saves the task. Returns its id, or `undefined` if it was not saved. */
    saveTask: async () => ((await form.save()) ? latest.current?.id : undefined),
    /** The id of the task as it is saved; `undefined` for a new one. */
    id: base?.id,
    /** Messages by path: `2.files`. */
    stepErrors: new Map([...(isValidated ? getStepErrors(t, values.steps) : []), ...errorsUnder('operations')]),
    /** Messages by index of the pattern. In the request, events precede patterns. */
    patternErrors: new Map(
      errorsUnder('triggers').map(([path, message]) => [Number.parseInt(path, 10) - values.events.length, message]),
    ),
  }
}

export type TaskFormState = ReturnType<typeof useTaskForm>

function toSaved(task: ListedTask | undefined): Saved<TaskForm> {
  return { values: normalizeTask(toTaskForm(task?.view)), version: task?.view.version }
}

/** The field of the form for a field of the request body. */
function toFormField(name: string): string {
  if (name === 'cronSchedule') return 'cron'
  if (name === 'if') return 'condition'
  if (name.startsWith('operations.')) return 'steps'
  return name.startsWith('triggers.') ? 'patterns' : name
}

/** Creates or updates a task. @throws Refusal ErrStaleVersion when it was changed since it was read */
async function sendTask(
  server: string,
  base: ListedTask | undefined,
  { values, version }: Edit<TaskForm>,
): Promise<ListedTask> {
  const body = toTask(values, base?.view)
  const view = { isRunning: false, ...base?.view, ...body }
  if (!base) {
    const { id } = await request(createTask, { params: { id: server }, body })
    return { id, view: { ...view, version: await readVersion(server, id) } }
  }
  const { id } = base
  const precondition = { version }
  const saved = await requestVersioned(putTask, { params: { id: server, task: id }, body }, { precondition })
  return { id, view: { ...view, version: saved.version ?? (await readVersion(server, id)) } }
}

/** Reads the version of a saved task. Returns `''`, which the node rejects as stale, when it does not respond. */
async function readVersion(server: string, id: string): Promise<string> {
  try {
    return (await request(listTasks, { params: { id: server } })).tasks[id]?.version ?? ''
  } catch {
    // The task is saved nevertheless.
    return ''
  }
}
