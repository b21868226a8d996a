import { isTimezone } from '@innkeeper/contract/cron'
import { limits } from '@innkeeper/contract/limits'
import { Button, Modal, Select, Switch, TextInput } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useMemo } from 'react'
import { DraftOffer } from '../../forms/save-form.tsx'
import { useUnsavedChanges } from '../../forms/unsaved-changes.tsx'
import { useShortcut } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { CronEditor } from './cron-editor.tsx'
import type { StepEditing } from './steps.ts'
import classes from './task-dialog.module.css'
import { hasOrderlySchedule } from './task-form.ts'
import { zonesWith } from './times.ts'
import { Triggers } from './triggers.tsx'
import { type TaskFormState, useTaskForm } from './use-task-form.ts'
import type { ListedTask } from './use-tasks.ts'

interface TaskDialogProps {
  readonly server: string
  /** Absent for a new one. */
  readonly task?: ListedTask | undefined
  /** The node's own. */
  readonly timezone: string
  readonly steps: StepEditing
  /** Runs a task that is saved; answers whether it is running now. */
  readonly onRun: (id: string, name: string) => Promise<boolean>
  readonly onClose: () => void
}

/** A task, new or known: what it does, and what sets it off. */
export function TaskDialog({ server, task, timezone, steps, onRun, onClose }: TaskDialogProps) {
  useReturnFocus()
  const t = useT()
  const confirm = useConfirm()
  const isPhone = useIsPhone()
  const state = useTaskForm({ server, task, steps })
  const { form, change, isDirty, isSaving } = state
  const runsAsSaved = !state.isNew && !isDirty

  const save = async (over = false) => {
    const id = await state.save({ over })
    if (id === undefined) return
    toast.success(t('common.Saved'))
    closeIfSaved()
  }
  const run = async () => {
    const id = runsAsSaved ? state.id : await state.save()
    if (id === undefined) return
    const isRunning = await onRun(id, form.name.trim())
    // What was saved is saved, and the list says what became of it.
    if (isRunning || !runsAsSaved) closeIfSaved()
  }
  /** What was typed while the task was saved is not saved yet: the dialog then stays. */
  const closeIfSaved = () => {
    if (!state.isDirtyNow()) onClose()
  }
  const close = async () => {
    const question = { title: t('tasks.LeaveTitle'), body: t('tasks.LeaveBody') }
    if (isDirty && !(await confirm({ ...question, action: t('common.LeaveAction'), danger: true }))) return
    state.discard()
    onClose()
  }
  useShortcut('$mod+s', () => void save())
  useUnsavedChanges({ isDirty: state.isDirtyNow, onLeave: state.discard })

  return (
    <Modal
      opened
      onClose={() => void close()}
      size="46rem"
      fullScreen={isPhone}
      classNames={{ body: classes.body ?? '' }}
      title={t(state.isNew ? 'tasks.NewTitle' : 'tasks.EditTitle')}
    >
      <form
        noValidate
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {state.offered && <DraftOffer onRestore={state.restore} onForget={state.forgetOffer} />}
        {state.isStale && <Stale onReload={() => void state.reload()} onOverwrite={() => void save(true)} />}
        <div className={classes.head}>
          <TextInput
            className={classes.name}
            data-autofocus
            label={t('tasks.Name')}
            maxLength={limits.taskNameMax}
            autoComplete="off"
            value={form.name}
            error={state.objections.get('name')}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <Switch
            className={classes.scheduled}
            label={t('tasks.Scheduled')}
            checked={form.isScheduled}
            onChange={(event) => change({ isScheduled: event.currentTarget.checked })}
          />
        </div>
        {form.isScheduled && <Schedule state={state} timezone={timezone} />}
        <Triggers form={form} onChange={change} problems={state.patternProblems} />
        <section className={classes.part} aria-label={t('tasks.Steps')}>
          <div className={classes.partHead}>
            <h3>{t('tasks.Steps')}</h3>
            <span>{t('tasks.StepsHint')}</span>
          </div>
          {state.stepProblems.size > 0 && <Alert type="error">{t('tasks.StepsIncomplete')}</Alert>}
          {steps.list({
            steps: form.steps,
            onChange: (next) => change({ steps: next }),
            label: t('tasks.Steps'),
            problems: state.stepProblems,
          })}
        </section>
        <div className={classes.foot}>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconPlayerPlay size={17} aria-hidden />}
            disabled={!state.maySave || isSaving}
            onClick={() => void run()}
          >
            {t(runsAsSaved ? 'tasks.RunNow' : 'tasks.SaveAndRun')}
          </Button>
          <span className={classes.grow} />
          <Button variant="subtle" color="gray" onClick={() => void close()}>
            {t('common.Cancel')}
          </Button>
          <Button type="submit" disabled={!state.maySave} loading={isSaving}>
            {t('common.Save')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

function Stale({ onReload, onOverwrite }: { onReload: () => void; onOverwrite: () => void }) {
  const t = useT()
  return (
    <Alert
      type="warning"
      urgent
      action={
        <>
          <Button size="xs" variant="default" onClick={onReload}>
            {t('tasks.Reload')}
          </Button>
          <Button size="xs" variant="default" onClick={onOverwrite}>
            {t('tasks.Overwrite')}
          </Button>
        </>
      }
    >
      {t('tasks.Stale')}
    </Alert>
  )
}

/** Stands for no zone of its own: an option needs a value. */
const nodes = 'node'

function Schedule({
  state: { form, change, objections, revision },
  timezone,
}: {
  state: TaskFormState
  timezone: string
}) {
  const t = useT()
  const zones = useMemo(
    () => [
      { value: nodes, label: t('tasks.ZoneOfNode', { zone: timezone }) },
      ...zonesWith(form.timezone).map((zone) => ({ value: zone, label: zone })),
    ],
    [t, timezone, form.timezone],
  )
  const isKnownZone = form.timezone === undefined || isTimezone(form.timezone)
  return (
    <>
      <CronEditor
        key={revision}
        value={form.cron}
        onChange={(cron) => change({ cron })}
        isValid={hasOrderlySchedule(form)}
        objection={objections.get('cronSchedule')}
        timezone={form.timezone ?? timezone}
      />
      <div className={classes.clock}>
        <Select
          label={t('tasks.Zone')}
          data={zones}
          value={form.timezone ?? nodes}
          searchable
          nothingFoundMessage={t('tasks.NoSuchZone')}
          error={objections.get('timezone') ?? (isKnownZone ? undefined : t('tasks.NoSuchZone'))}
          onChange={(zone) => change({ timezone: zone === null || zone === nodes ? undefined : zone })}
        />
        <Switch
          label={t('tasks.CatchUp')}
          description={t('tasks.CatchUpAbout')}
          checked={form.catchUp}
          onChange={(event) => change({ catchUp: event.currentTarget.checked })}
        />
      </div>
    </>
  )
}
