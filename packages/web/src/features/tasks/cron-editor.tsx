import { nextRuns } from '@innkeeper/contract/jobs/cron'
import { getTag } from '@innkeeper/contract/text/languages'
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
import {
  hasSeconds,
  localTimezone,
  weekdayName,
  weekdaysFromMonday,
  zonedTimeFormatter,
} from '../../i18n/zoned-time.ts'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { NumberField, type NumberFieldProps } from '../../ui/fields/number-field.tsx'
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
          {cronModes.map((cronMode) => (
            <Tabs.Tab key={cronMode} value={cronMode}>
              {t(`tasks.Mode_${cronMode}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {cronModes.map((cronMode) => (
          <Tabs.Panel key={cronMode} value={cronMode} px="md" py="sm">
            <Group gap="lg" align="flex-start">
              {forms[cronMode]}
            </Group>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Divider mx="md" />
      <CronSummary value={value} isValid={isValid} timezone={timezone} />
    </Paper>
  )
}

interface FieldsProps {
  readonly fields: CronFields
  readonly onChange: (changes: Partial<CronFields>) => void
}

interface CronFieldProps extends FieldsProps, Pick<NumberFieldProps, 'label' | 'aria-label'> {
  readonly name: keyof typeof maxValues
  /** An hour or minute of the clock, not a number to count with. */
  readonly isTime?: boolean
}

function CronField({ name, isTime = false, fields, onChange, ...label }: CronFieldProps) {
  const amount = fields[name]
  return (
    <NumberField
      {...label}
      value={amount === '*' ? 1 : amount}
      min={isTime ? 0 : 1}
      max={maxValues[name]}
      isPadded={isTime}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
}

function Hourly(props: FieldsProps) {
  const t = useT()
  return (
    <>
      <CronField {...props} name="hour" label={t('tasks.EveryHours')} />
      <CronField {...props} name="minute" isTime label={t('tasks.AtMinute')} />
    </>
  )
}

function Daily(props: FieldsProps) {
  const t = useT()
  return (
    <>
      <CronField {...props} name="day" label={t('tasks.EveryDays')} />
      <TimeOfDay {...props} />
    </>
  )
}

function Weekly({ fields, onChange }: FieldsProps) {
  const t = useT()
  const tag = getTag(useLocale().locale)
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

function Monthly(props: FieldsProps) {
  const t = useT()
  return (
    <>
      <CronField {...props} name="day" label={t('tasks.OnDay')} />
      <CronField {...props} name="month" label={t('tasks.EveryMonths')} />
      <TimeOfDay {...props} />
    </>
  )
}

function TimeOfDay(props: FieldsProps) {
  const t = useT()
  return (
    <FieldGroup label={t('tasks.At')} dir="ltr">
      <CronField {...props} name="hour" isTime aria-label={t('tasks.Hour')} />
      <b aria-hidden>:</b>
      <CronField {...props} name="minute" isTime aria-label={t('tasks.Minute')} />
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
      <Group role="group" aria-labelledby={id} gap="xs" dir={dir}>
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
      data-path="cron"
      label={t('tasks.Field_cron')}
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
function CronSummary({ value, isValid, timezone }: Pick<CronEditorProps, 'value' | 'isValid' | 'timezone'>) {
  const t = useT()
  const tag = getTag(useLocale().locale)
  const describeCron = useCronDescription()
  const expression = value.trim()
  const runs = isValid && expression !== '' ? nextRuns(expression, { timezone, count: shownRuns }) : []
  const [firstRun] = runs
  const format = zonedTimeFormatter(tag, firstRun && timezone, hasSeconds(runs))
  const formatLocal = zonedTimeFormatter(tag, undefined, hasSeconds(runs))

  return (
    <Group gap="sm" align="flex-start" px="md" py="sm">
      <Text span c="var(--ik-link)" lh={0} mt="3xs">
        <IconCalendarTime size={18} aria-hidden />
      </Text>
      <Box flex="1 1 14rem" miw={0}>
        <Text fw={600} role="status">
          {expression === '' ? t('tasks.ManualOnly') : isValid ? describeCron(expression) : t('tasks.NotASchedule')}
        </Text>
        {firstRun && (
          <Flex wrap="wrap" columnGap="sm" c="dimmed" fz="xs">
            <span>{t('tasks.NextRuns', { zone: timezone })}</span>
            <Flex component="ul" wrap="wrap" columnGap="sm" aria-label={t('tasks.NextRuns', { zone: timezone })}>
              {runs.map((run) => (
                <Text component="li" inherit textWrap="nowrap" key={run.getTime()}>
                  <time dateTime={run.toISOString()}>{format(run)}</time>
                </Text>
              ))}
            </Flex>
            {timezone !== localTimezone() && <span>{t('tasks.FirstRunLocal', { time: formatLocal(firstRun) })}</span>}
          </Flex>
        )}
      </Box>
      {expression !== '' && <Code dir="ltr">{expression}</Code>}
    </Group>
  )
}
