import { nextRuns } from '@innkeeper/contract/cron'
import { tagOf } from '@innkeeper/contract/languages'
import {
  Box,
  Button,
  Code,
  Divider,
  Flex,
  Group,
  Input,
  Paper,
  Tabs,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import { IconCalendarTime } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import { useLocale, useT } from '../../i18n/i18n.tsx'
import { hasSeconds, localTimezone, weekdayName, zonedTimeFormatter } from '../../i18n/zoned-time.ts'
import { codeInputProps } from '../../ui/code-input.ts'
import { NumberField } from '../../ui/number-field.tsx'
import { useCronDescription } from './cron-description.ts'
import {
  adjustForMode,
  type CronFields,
  type CronMode,
  cronModes,
  formatCron,
  getCronMode,
  maxValues,
  parseCron,
  toggleWeekday,
  weekdaysFromMonday,
} from './cron-fields.ts'
import classes from './tasks.module.css'

/** How many of the next runs are shown. */
const shownRuns = 5

interface CronEditorProps {
  readonly value: string
  readonly onChange: (expression: string) => void
  readonly isValid: boolean
  /** The error of the node. */
  readonly error?: string | undefined
  /** The time zone of the schedule. */
  readonly timezone: string
}

/** Edits a cron expression: with a form for common schedules, or as text. */
export function CronEditor({ value, onChange, isValid, error, timezone }: CronEditorProps) {
  const t = useT()
  const [mode, setMode] = useState<CronMode>(() => getCronMode(value))
  const fields = parseCron(value)

  const changeMode = (next: CronMode) => {
    setMode(next)
    if (next !== 'advanced') onChange(formatCron(next, adjustForMode(next, fields)))
  }
  const change = (changes: Partial<CronFields>) => {
    if (mode !== 'advanced') onChange(formatCron(mode, { ...fields, ...changes }))
  }
  const forms: Readonly<Record<CronMode, ReactNode>> = {
    hourly: <Hourly fields={fields} onChange={change} />,
    daily: <Daily fields={fields} onChange={change} />,
    weekly: <Weekly fields={fields} onChange={change} />,
    monthly: <Monthly fields={fields} onChange={change} />,
    advanced: <Advanced value={value} isValid={isValid} error={error} onChange={onChange} />,
  }

  return (
    <Paper component="section" bg="var(--ik-body)" aria-label={t('tasks.Schedule')}>
      <Tabs value={mode} onChange={(next) => changeMode(next as CronMode)} keepMounted={false}>
        <Tabs.List className={classes.modes} mt="2xs" mx="sm">
          {cronModes.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`tasks.Mode_${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {cronModes.map((one) => (
          <Tabs.Panel key={one} value={one} px="md" py="sm">
            <Group gap="lg" align="flex-start">
              {forms[one]}
            </Group>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Divider mx="md" />
      <Summary value={value} isValid={isValid} timezone={timezone} />
    </Paper>
  )
}

interface FieldsProps {
  readonly fields: CronFields
  readonly onChange: (changes: Partial<CronFields>) => void
}

const toNumber = (amount: number | '*') => (amount === '*' ? 1 : amount)

function Hourly({ fields, onChange }: FieldsProps) {
  const t = useT()
  return (
    <>
      <NumberField
        label={t('tasks.EveryHours')}
        value={toNumber(fields.hour)}
        min={1}
        max={maxValues.hour}
        onChange={(hour) => onChange({ hour })}
      />
      <NumberField
        label={t('tasks.AtMinute')}
        value={fields.minute}
        max={maxValues.minute}
        isPadded
        onChange={(minute) => onChange({ minute })}
      />
    </>
  )
}

function Daily({ fields, onChange }: FieldsProps) {
  const t = useT()
  return (
    <>
      <NumberField
        label={t('tasks.EveryDays')}
        value={toNumber(fields.day)}
        min={1}
        max={maxValues.day}
        onChange={(day) => onChange({ day })}
      />
      <TimeOfDay fields={fields} onChange={onChange} />
    </>
  )
}

function Weekly({ fields, onChange }: FieldsProps) {
  const t = useT()
  const tag = tagOf(useLocale().locale)
  return (
    <>
      <FieldGroup label={t('tasks.OnDays')}>
        {weekdaysFromMonday.map((weekday) => {
          const isSelected = fields.weekdays.includes(weekday)
          return (
            <Button
              key={weekday}
              variant={isSelected ? 'light' : 'default'}
              px="xs"
              miw="2.75rem"
              bd={isSelected ? '1px solid var(--ik-link)' : undefined}
              aria-pressed={isSelected}
              onClick={() => onChange({ weekdays: toggleWeekday(fields.weekdays, weekday) })}
            >
              <span aria-hidden>{weekdayName(tag, weekday, 'short')}</span>
              <VisuallyHidden>{weekdayName(tag, weekday, 'long')}</VisuallyHidden>
            </Button>
          )
        })}
      </FieldGroup>
      <TimeOfDay fields={fields} onChange={onChange} />
    </>
  )
}

function Monthly({ fields, onChange }: FieldsProps) {
  const t = useT()
  return (
    <>
      <NumberField
        label={t('tasks.OnDay')}
        value={toNumber(fields.day)}
        min={1}
        max={maxValues.day}
        onChange={(day) => onChange({ day })}
      />
      <NumberField
        label={t('tasks.EveryMonths')}
        value={toNumber(fields.month)}
        min={1}
        max={maxValues.month}
        onChange={(month) => onChange({ month })}
      />
      <TimeOfDay fields={fields} onChange={onChange} />
    </>
  )
}

function TimeOfDay({ fields, onChange }: FieldsProps) {
  const t = useT()
  return (
    <FieldGroup label={t('tasks.At')} dir="ltr">
      <NumberField
        aria-label={t('tasks.Hour')}
        value={toNumber(fields.hour)}
        max={maxValues.hour}
        isPadded
        onChange={(hour) => onChange({ hour })}
      />
      <b aria-hidden>:</b>
      <NumberField
        aria-label={t('tasks.Minute')}
        value={fields.minute}
        max={maxValues.minute}
        isPadded
        onChange={(minute) => onChange({ minute })}
      />
    </FieldGroup>
  )
}

function FieldGroup({ label, dir, children }: { label: string; dir?: 'ltr'; children: ReactNode }) {
  const id = useId()
  return (
    <div>
      <Input.Label id={id} labelElement="div">
        {label}
      </Input.Label>
      <Group role="group" aria-labelledby={id} gap={6} dir={dir}>
        {children}
      </Group>
    </div>
  )
}

const parts = ['Minute', 'Hour', 'Day', 'Month', 'Weekday'] as const

type AdvancedProps = Pick<CronEditorProps, 'value' | 'isValid' | 'error' | 'onChange'>

function Advanced({ value, isValid, error, onChange }: AdvancedProps) {
  const t = useT()
  return (
    <TextInput
      {...codeInputProps}
      flex="1 1 16rem"
      maw="30rem"
      label={t('tasks.Expression')}
      description={
        <Flex component="span" wrap="wrap" gap="sm">
          {parts.map((part) => (
            <span key={part}>{t(`tasks.Part_${part}`)}</span>
          ))}
        </Flex>
      }
      error={isValid ? error : t('tasks.InvalidSchedule')}
      maxLength={200}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** Describes the schedule and lists its next runs. */
function Summary({ value, isValid, timezone }: Pick<CronEditorProps, 'value' | 'isValid' | 'timezone'>) {
  const t = useT()
  const tag = tagOf(useLocale().locale)
  const describeCron = useCronDescription()
  const expression = value.trim()
  const runs = isValid && expression !== '' ? nextRuns(expression, { timezone, count: shownRuns }) : []
  const [firstRun] = runs
  const format = zonedTimeFormatter(tag, firstRun && timezone, hasSeconds(runs))
  const formatLocal = zonedTimeFormatter(tag, undefined, hasSeconds(runs))

  return (
    <Group gap="sm" align="flex-start" px="md" py="sm">
      <Text span c="var(--ik-link)" lh={0} mt={2}>
        <IconCalendarTime size={18} aria-hidden />
      </Text>
      <Box flex="1 1 14rem" miw={0}>
        <Text fw={600} role="status">
          {expression === '' ? t('tasks.ManualOnly') : isValid ? describeCron(expression) : t('tasks.NotASchedule')}
        </Text>
        {firstRun && (
          <Flex wrap="wrap" columnGap="sm" c="dimmed" fz="xs">
            <span>{t('tasks.NextRuns', { zone: timezone })}</span>
            <ul className={classes.runs} aria-label={t('tasks.NextRuns', { zone: timezone })}>
              {runs.map((run) => (
                <li key={run.getTime()}>
                  <time dateTime={run.toISOString()}>{format(run)}</time>
                </li>
              ))}
            </ul>
            {timezone !== localTimezone() && <span>{t('tasks.FirstRunLocal', { time: formatLocal(firstRun) })}</span>}
          </Flex>
        )}
      </Box>
      {expression !== '' && <Code dir="ltr">{expression}</Code>}
    </Group>
  )
}
