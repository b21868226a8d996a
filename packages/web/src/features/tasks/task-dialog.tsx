import { isTimezone } from '@innkeeper/contract/cron'
import { limits } from '@innkeeper/contract/limits'
import type { StepType } from '@innkeeper/contract/operations'
import { Box, Button, Group, Modal, Select, SimpleGrid, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
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
import { StepList } from '../steps/step-list.tsx'
import { CronEditor } from './cron-editor.tsx'
import { hasValidSchedule } from './task-form.ts'
import classes from './tasks.module.css'
import { listTimezones } from './times.ts'
import { TriggerFields } from './trigger-fields.tsx'
import { type TaskFormState, useTaskForm } from './use-task-form.ts'
import type { ListedTask } from './use-tasks.ts'

/** The step types that a task can have. */
export interface TaskStepTypes {
  readonly types: readonly StepType[]
  /** Types that the user cannot add, with the reason. */
  readonly forbidden: ReadonlyMap<StepType, string>
}

interface TaskDialogProps {
  readonly server: string
  /** Absent for a new task. */
  readonly task?: ListedTask | undefined
  /** The time zone of the node. */
  readonly timezone: string
  readonly stepTypes: TaskStepTypes
  /** Runs a saved task. Resolves with whether it has started. */
  readonly onRun: (id: string, name: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Creates or edits a task. */
export function TaskDialog({ server, task, timezone, stepTypes, onRun, onClose }: TaskDialogProps) {
  useReturnFocus()
  const t = useT()
  const confirm = useConfirm()
  const isPhone = useIsPhone()
  const state = useTaskForm({ server, task })
  const { form, change, isDirty, isSaving } = state
  const isSaved = !state.isNew && !isDirty

  const save = async (overwrite = false) => {
    const id = await state.save({ overwrite })
    if (id === undefined) return
    toast.success(t('common.Saved'))
    closeUnlessDirty()
  }
  const run = async () => {
    const id = isSaved ? state.id : await state.save()
    if (id === undefined) return
    const hasStarted = await onRun(id, form.name.trim())
    if (hasStarted || !isSaved) closeUnlessDirty()
  }
  /** Edits made during a save keep the dialog open. */
  const closeUnlessDirty = () => {
    if (!state.isDirtyNow()) onClose()
  }
  const close = async () => {
    const question = { title: t('tasks.LeaveTitle'), body: t('tasks.LeaveBody') }
    if (isDirty && !(await confirm({ ...question, action: t('common.LeaveAction'), danger: true }))) return
    state.discard()
    onClose()
  }
  useShortcut('mod+s', () => void save())
  useUnsavedChanges({ isDirty: state.isDirtyNow, onDiscard: state.discard })

  return (
    <Modal
      opened
      onClose={() => void close()}
      size="46rem"
      fullScreen={isPhone}
      classNames={{ body: classes.dialogBody }}
      title={t(state.isNew ? 'tasks.NewTitle' : 'tasks.EditTitle')}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack gap="md">
          {state.storedDraft && <DraftOffer onRestore={state.restoreDraft} onDismiss={state.dismissDraft} />}
          {state.isStale && <StaleAlert onReload={() => void state.reload()} onOverwrite={() => void save(true)} />}
          <Group gap="md" align="flex-end">
            <TextInput
              flex="1 1 16rem"
              data-autofocus
              label={t('tasks.Name')}
              maxLength={limits.taskNameMax}
              autoComplete="off"
              value={form.name}
              error={state.errors.get('name')}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <Group mih="2.25rem">
              <Switch
                label={t('tasks.Scheduled')}
                checked={form.isScheduled}
                onChange={(event) => change({ isScheduled: event.currentTarget.checked })}
              />
            </Group>
          </Group>
          {form.isScheduled && <Schedule state={state} timezone={timezone} />}
          <TriggerFields form={form} onChange={change} errors={state.patternErrors} />
          <Box component="section" aria-label={t('tasks.Steps')}>
            <Group justify="space-between" mb="xs">
              <Title order={3}>{t('tasks.Steps')}</Title>
              <Text fz="xs" c="dimmed">
                {t('tasks.StepsHint')}
              </Text>
            </Group>
            {state.stepErrors.size > 0 && <Alert type="error">{t('tasks.StepsIncomplete')}</Alert>}
            <StepList
              steps={form.steps}
              onChange={(steps) => change({ steps })}
              types={stepTypes.types}
              forbidden={stepTypes.forbidden}
              defaultType="stdin"
              label={t('tasks.Steps')}
              errors={state.stepErrors}
              showErrorsOfAdded
            />
          </Box>
        </Stack>
        <Group gap="xs" className={classes.dialogFooter}>
          <Button
            variant="subtle"
            color="gray"
            me="auto"
            leftSection={<IconPlayerPlay size={17} aria-hidden />}
            disabled={!state.canSave || isSaving}
            onClick={() => void run()}
          >
            {t(isSaved ? 'tasks.RunNow' : 'tasks.SaveAndRun')}
          </Button>
          <Button variant="subtle" color="gray" onClick={() => void close()}>
            {t('common.Cancel')}
          </Button>
          <Button type="submit" disabled={!state.canSave} loading={isSaving}>
            {t('common.Save')}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

function StaleAlert({ onReload, onOverwrite }: { onReload: () => void; onOverwrite: () => void }) {
  const t = useT()
  return (
    <Alert
      type="warning"
      urgent
      action={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onReload}>
            {t('tasks.Reload')}
          </Button>
          <Button size="xs" variant="default" onClick={onOverwrite}>
            {t('tasks.Overwrite')}
          </Button>
        </Group>
      }
    >
      {t('tasks.Stale')}
    </Alert>
  )
}

/** The option for the node's time zone, which a task stores as no time zone. */
const nodeTimezone = 'node'

function Schedule({ state, timezone }: { state: TaskFormState; timezone: string }) {
  const t = useT()
  const { form, change, errors, revision } = state
  const options = useMemo(
    () => [
      { value: nodeTimezone, label: t('tasks.NodeTimezone', { zone: timezone }) },
      ...listTimezones(form.timezone).map((zone) => ({ value: zone, label: zone })),
    ],
    [t, timezone, form.timezone],
  )
  const isKnownTimezone = form.timezone === undefined || isTimezone(form.timezone)
  return (
    <>
      <CronEditor
        key={revision}
        value={form.cron}
        onChange={(cron) => change({ cron })}
        isValid={hasValidSchedule(form)}
        error={errors.get('cronSchedule')}
        timezone={form.timezone ?? timezone}
      />
      <SimpleGrid minColWidth="min(100%, 16rem)" autoFlow="auto-fit" spacing="xl" verticalSpacing="sm">
        <Select
          label={t('tasks.Timezone')}
          data={options}
          value={form.timezone ?? nodeTimezone}
          searchable
          nothingFoundMessage={t('tasks.UnknownTimezone')}
          error={errors.get('timezone') ?? (isKnownTimezone ? undefined : t('tasks.UnknownTimezone'))}
          onChange={(zone) => change({ timezone: zone === null || zone === nodeTimezone ? undefined : zone })}
        />
        <Switch
          style={{ alignSelf: 'center' }}
          label={t('tasks.CatchUp')}
          description={t('tasks.CatchUpAbout')}
          checked={form.catchUp}
          onChange={(event) => change({ catchUp: event.currentTarget.checked })}
        />
      </SimpleGrid>
    </>
  )
}
