import { conditionMaxChars } from '@innkeeper/contract/definitions/conditions'
import type { StepType } from '@innkeeper/contract/definitions/operations'
import { isTimezone } from '@innkeeper/contract/jobs/cron'
import { limits } from '@innkeeper/contract/text/limits'
import {
  ActionIcon,
  Box,
  Button,
  Checkbox,
  Group,
  Modal,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconPlayerPlay, IconX } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useId, useMemo, useRef } from 'react'
import { SaveForm } from '../../forms/save-form.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { listTimezones } from '../../i18n/zoned-time.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { DialogFooter } from '../../ui/overlays/dialog-footer.tsx'
import { useReturnFocus } from '../../ui/overlays/use-return-focus.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { StepList } from '../steps/step-list.tsx'
import { CronEditor } from './cron-editor.tsx'
import { type Recipe, toRecipeForm } from './recipes.ts'
import { hasValidSchedule, plainEvents, type TaskForm } from './task-form.ts'
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
  /** What a new task begins with. */
  readonly recipe?: Recipe | undefined
  /** The time zone of the node. */
  readonly timezone: string
  readonly stepTypes: TaskStepTypes
  /** Whether the node knows conditions of tasks. */
  readonly hasConditions: boolean
  /** Runs a saved task. Resolves with whether it has started. */
  readonly onRun: (id: string, name: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Creates or edits a task. */
export function TaskDialog(props: TaskDialogProps) {
  const { server, task, recipe, timezone, stepTypes, hasConditions, onRun, onClose } = props
  useReturnFocus()
  const t = useT()
  const confirm = useConfirm()
  const state = useTaskForm({
    server,
    task,
    onSaved: (isClean) => {
      toast.success(t('common.Saved'))
      // Edits made during the save keep the dialog open.
      if (isClean) onClose()
    },
  })
  const { values, change, isDirty, isSaving } = state
  const begin = useEffectEvent(() => recipe && change(toRecipeForm(t, recipe)))
  useEffect(() => void begin(), [])
  const isSaved = !state.isNew && !isDirty

  const run = async () => {
    const id = isSaved ? state.id : await state.saveTask()
    if (id !== undefined && (await onRun(id, values.name.trim())) && isSaved) onClose()
  }
  const close = async () => {
    const question = { title: t('tasks.LeaveTitle'), body: t('tasks.LeaveBody') }
    if (isDirty && !(await confirm({ ...question, action: t('common.LeaveAction') }))) return
    state.discard()
    onClose()
  }

  return (
    <Modal
      opened
      onClose={() => void close()}
      size="46rem"
      variant="phone-full-screen"
      title={t(state.isNew ? 'tasks.NewTitle' : 'tasks.EditTitle')}
    >
      <SaveForm form={state}>
        <Stack gap="md">
          <Group gap="md" align="flex-end">
            <TextInput
              flex="1 1 16rem"
              data-autofocus
              label={t('common.Name')}
              maxLength={limits.taskNameMax}
              autoComplete="off"
              {...state.field('name')}
            />
            <Group mih="2.25rem">
              <Switch label={t('tasks.Scheduled')} {...state.switchField('isScheduled')} />
            </Group>
          </Group>
          {values.isScheduled && <Schedule state={state} timezone={timezone} />}
          {hasConditions && (
            <TextInput
              {...codeInputProps}
              label={t('steps.Condition')}
              description={t('tasks.ConditionHelp')}
              maxLength={conditionMaxChars}
              {...state.field('condition')}
            />
          )}
          <TriggerFields form={values} onChange={change} errors={state.patternErrors} />
          <Box component="section" aria-label={t('tasks.Field_steps')} data-path="steps" tabIndex={-1} data-quiet-focus>
            <Group justify="space-between" mb="xs">
              <Title order={3}>{t('tasks.Field_steps')}</Title>
              <Text variant="caption">{t('tasks.StepsHint')}</Text>
            </Group>
            {state.stepErrors.size > 0 && <Alert type="error">{t('tasks.StepsIncomplete')}</Alert>}
            <StepList
              steps={values.steps}
              onChange={(steps) => change({ steps })}
              types={stepTypes.types}
              forbidden={stepTypes.forbidden}
              defaultType="stdin"
              label={t('tasks.Field_steps')}
              errors={state.stepErrors}
              showErrorsOfAdded
            />
          </Box>
        </Stack>
        <DialogFooter>
          <Button
            variant="subtle"
            me="auto"
            leftSection={<IconPlayerPlay size={17} aria-hidden />}
            disabled={!state.canSave || isSaving}
            onClick={() => void run()}
          >
            {t(isSaved ? 'tasks.RunNow' : 'tasks.SaveAndRun')}
          </Button>
          <Button variant="subtle" onClick={() => void close()}>
            {t('common.Cancel')}
          </Button>
          <Button type="submit" disabled={!state.canSave} loading={isSaving}>
            {t('common.Save')}
          </Button>
        </DialogFooter>
      </SaveForm>
    </Modal>
  )
}

/** The option for the node's time zone, which a task stores as no time zone. */
const nodeTimezone = 'node'

function Schedule({ state, timezone }: { state: TaskFormState; timezone: string }) {
  const t = useT()
  const { values, change, errors, revision } = state
  const options = useMemo(
    () => [
      { value: nodeTimezone, label: t('tasks.NodeTimezone', { zone: timezone }) },
      ...listTimezones(values.timezone || undefined).map((zone) => ({ value: zone, label: zone })),
    ],
    [t, timezone, values.timezone],
  )
  const isKnownTimezone = values.timezone === '' || isTimezone(values.timezone)
  return (
    <>
      <CronEditor
        key={`${revision} ${state.saved.cron}`}
        value={values.cron}
        onChange={(cron) => change({ cron })}
        isValid={hasValidSchedule(values)}
        error={errors.cron}
        timezone={values.timezone || timezone}
      />
      <SimpleGrid minColWidth="min(100%, 16rem)" autoFlow="auto-fit" spacing="xl" verticalSpacing="sm">
        <Select
          data-path="timezone"
          label={t('tasks.Field_timezone')}
          data={options}
          value={values.timezone || nodeTimezone}
          searchable
          nothingFoundMessage={t('tasks.UnknownTimezone')}
          error={errors.timezone ?? (isKnownTimezone ? undefined : t('tasks.UnknownTimezone'))}
          onChange={(zone) => change({ timezone: zone === null || zone === nodeTimezone ? '' : zone })}
        />
        <Switch
          style={{ alignSelf: 'center' }}
          label={t('tasks.CatchUp')}
          description={t('tasks.CatchUpAbout')}
          {...state.switchField('catchUp')}
        />
      </SimpleGrid>
    </>
  )
}

interface TriggerFieldsProps {
  readonly form: Pick<TaskForm, 'events' | 'patterns'>
  readonly onChange: (changes: Partial<TaskForm>) => void
  /** Messages by index of the pattern. */
  readonly errors: ReadonlyMap<number, string>
}

/** The events that run a task. */
function TriggerFields({ form: { events, patterns }, onChange, errors }: TriggerFieldsProps) {
  const t = useT()
  const label = useId()
  const inputs = useRef<HTMLDivElement>(null)
  const isFull = events.length + patterns.length >= limits.taskTriggers

  const add = () => {
    onChange({ patterns: [...patterns, ''] })
    // The new input is rendered before the next frame.
    requestAnimationFrame(() => [...(inputs.current?.querySelectorAll('input') ?? [])].at(-1)?.focus())
  }
  return (
    <Stack gap="xs" align="flex-start" role="group" aria-labelledby={label}>
      <Title order={3} id={label}>
        {t('tasks.Triggers')}
      </Title>
      <Group gap="lg">
        {plainEvents.map((event) => (
          <Checkbox
            key={event}
            label={t(`tasks.On_${event}`)}
            checked={events.includes(event)}
            disabled={isFull && !events.includes(event)}
            onChange={({ currentTarget }) =>
              onChange({
                events: plainEvents.filter((plainEvent) =>
                  plainEvent === event ? currentTarget.checked : events.includes(plainEvent),
                ),
              })
            }
          />
        ))}
      </Group>
      {patterns.length > 0 && (
        <Stack ref={inputs} gap="xs" w="100%">
          {patterns.map((pattern, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pattern is identified by its position
            <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
              <TextInput
                {...codeInputProps}
                flex={1}
                label={t('tasks.ConsoleTrigger')}
                description={index === patterns.length - 1 ? t('tasks.ConsoleTriggerHelp') : undefined}
                maxLength={limits.patternMax}
                value={pattern}
                error={errors.get(index)}
                onChange={(event) => onChange({ patterns: patterns.with(index, event.currentTarget.value) })}
              />
              {/* Beside the input, below its label. */}
              <ActionIcon
                mt="xl"
                aria-label={t('tasks.RemoveConsoleTrigger', { number: index + 1 })}
                onClick={() => onChange({ patterns: patterns.toSpliced(index, 1) })}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
        </Stack>
      )}
      <AddButton isCompact disabled={isFull} onClick={add}>
        {t('tasks.AddConsoleTrigger')}
      </AddButton>
    </Stack>
  )
}
