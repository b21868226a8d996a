import { nextRuns } from '@innkeeper/contract/cron'
import { tagOf } from '@innkeeper/contract/languages'
import { Tabs, TextInput, VisuallyHidden } from '@mantine/core'
import { IconCalendarTime } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import { useLocale, useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { AmountInput } from './amount-input.tsx'
import classes from './cron-editor.module.css'
import {
  adjusted,
  type CronFields,
  type CronForm,
  type CronMode,
  cronModes,
  expressionOf,
  fieldsOf,
  highest,
  modeOf,
  toggledWeekday,
  weekdaysListed,
} from './cron-fields.ts'
import { useCronWords } from './cron-words.ts'
import { needSeconds, ownZone, zonedTime } from './times.ts'

/** How many of the times to come are shown. */
const runsShown = 5

interface CronEditorProps {
  readonly value: string
  readonly onChange: (expression: string) => void
  readonly isValid: boolean
  /** Why the node refused it. */
  readonly objection?: string | undefined
  /** The zone whose clock the schedule goes by. */
  readonly timezone: string
}

/** Puts a schedule together: from a few choices, or by hand. */
export function CronEditor({ value, onChange, isValid, objection, timezone }: CronEditorProps) {
  const t = useT()
  const [mode, setMode] = useState<CronMode>(() => modeOf(value))
  const fields = fieldsOf(value)

  const go = (next: CronMode) => {
    setMode(next)
    if (next !== 'advanced') onChange(expressionOf(next, adjusted(next, fields)))
  }
  const tab = (form: CronForm, children: ReactNode) => (
    <Tabs.Panel value={form} className={classes.fields ?? ''}>
      {children}
    </Tabs.Panel>
  )
  const change = (part: Partial<CronFields>) => {
    if (mode !== 'advanced') onChange(expressionOf(mode, { ...fields, ...part }))
  }
  const given = { fields, onChange: change }

  return (
    <section className={classes.editor} aria-label={t('tasks.Schedule')}>
      <Tabs value={mode} onChange={(next) => go(next as CronMode)} keepMounted={false}>
        <Tabs.List className={classes.modes ?? ''}>
          {cronModes.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`tasks.Mode_${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tab('hourly', <Hourly {...given} />)}
        {tab('daily', <Daily {...given} />)}
        {tab('weekly', <Weekly {...given} />)}
        {tab('monthly', <Monthly {...given} />)}
        <Tabs.Panel value="advanced" className={classes.fields ?? ''}>
          <Advanced value={value} isValid={isValid} objection={objection} onChange={onChange} />
        </Tabs.Panel>
      </Tabs>
      <Summary value={value} isValid={isValid} timezone={timezone} />
    </section>
  )
}

interface FieldsProps {
  readonly fields: CronFields
  readonly onChange: (part: Partial<CronFields>) => void
}

const numberOf = (amount: number | '*') => (amount === '*' ? 1 : amount)

function Hourly({ fields, onChange }: FieldsProps) {
  const t = useT()
  return (
    <>
      <AmountInput
        label={t('tasks.EveryHours')}
        value={numberOf(fields.hour)}
        least={1}
        most={highest.hour}
        onChange={(hour) => onChange({ hour })}
      />
      <AmountInput
        label={t('tasks.AtMinute')}
        value={fields.minute}
        most={highest.minute}
        isClock
        onChange={(minute) => onChange({ minute })}
      />
    </>
  )
}

function Daily({ fields, onChange }: FieldsProps) {
  const t = useT()
  return (
    <>
      <AmountInput
        label={t('tasks.EveryDays')}
        value={numberOf(fields.day)}
        least={1}
        most={highest.day}
        onChange={(day) => onChange({ day })}
      />
      <TimeOfDay fields={fields} onChange={onChange} />
    </>
  )
}

function Weekly({ fields, onChange }: FieldsProps) {
  const t = useT()
  const tag = tagOf(useLocale().locale)
  const label = useId()
  return (
    <>
      <div>
        <span id={label} className={classes.label}>
          {t('tasks.OnDays')}
        </span>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row beside others */}
        <div role="group" aria-labelledby={label} className={classes.weekdays}>
          {weekdaysListed.map((weekday) => (
            <button
              key={weekday}
              type="button"
              aria-pressed={fields.weekdays.includes(weekday)}
              onClick={() => onChange({ weekdays: toggledWeekday(fields.weekdays, weekday) })}
            >
              <span aria-hidden>{nameOfWeekday(tag, weekday, 'short')}</span>
              <VisuallyHidden>{nameOfWeekday(tag, weekday, 'long')}</VisuallyHidden>
            </button>
          ))}
        </div>
      </div>
      <TimeOfDay fields={fields} onChange={onChange} />
    </>
  )
}

function Monthly({ fields, onChange }: FieldsProps) {
  const t = useT()
  return (
    <>
      <AmountInput
        label={t('tasks.OnDay')}
        value={numberOf(fields.day)}
        least={1}
        most={highest.day}
        onChange={(day) => onChange({ day })}
      />
      <AmountInput
        label={t('tasks.EveryMonths')}
        value={numberOf(fields.month)}
        least={1}
        most={highest.month}
        onChange={(month) => onChange({ month })}
      />
      <TimeOfDay fields={fields} onChange={onChange} />
    </>
  )
}

function TimeOfDay({ fields, onChange }: FieldsProps) {
  const t = useT()
  const label = useId()
  return (
    <div>
      <span id={label} className={classes.label}>
        {t('tasks.At')}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row beside others */}
      <div role="group" aria-labelledby={label} className={classes.clock} dir="ltr">
        <AmountInput
          name={t('tasks.Hour')}
          value={numberOf(fields.hour)}
          most={highest.hour}
          isClock
          onChange={(hour) => onChange({ hour })}
        />
        <b aria-hidden>:</b>
        <AmountInput
          name={t('tasks.Minute')}
          value={fields.minute}
          most={highest.minute}
          isClock
          onChange={(minute) => onChange({ minute })}
        />
      </div>
    </div>
  )
}

const partNames = ['Minute', 'Hour', 'Day', 'Month', 'Weekday'] as const

type AdvancedProps = Pick<CronEditorProps, 'value' | 'isValid' | 'objection' | 'onChange'>

function Advanced({ value, isValid, objection, onChange }: AdvancedProps) {
  const t = useT()
  return (
    <TextInput
      className={classes.advanced}
      classNames={{ input: classes.mono ?? '' }}
      label={t('tasks.Expression')}
      description={
        <span className={classes.parts}>
          {partNames.map((part) => (
            <span key={part}>{t(`tasks.Part_${part}`)}</span>
          ))}
        </span>
      }
      error={isValid ? objection : t('tasks.Invalid')}
      dir="ltr"
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** What the schedule means, and when that is next. */
function Summary({ value, isValid, timezone }: Pick<CronEditorProps, 'value' | 'isValid' | 'timezone'>) {
  const t = useT()
  const tag = tagOf(useLocale().locale)
  const words = useCronWords()
  const expression = value.trim()
  const runs = isValid && expression !== '' ? nextRuns(expression, { timezone, count: runsShown }) : []
  const [first] = runs
  const write = first ? zonedTime(tag, timezone, needSeconds(runs)) : String

  return (
    <div className={classes.summary}>
      <IconCalendarTime size={18} aria-hidden />
      <div className={classes.meaning}>
        <b role="status">
          {expression === '' ? t('tasks.ManualOnly') : isValid ? words(expression) : t('tasks.NotAPlan')}
        </b>
        {first && (
          <div className={classes.runs}>
            <span>{t('tasks.NextRuns', { zone: timezone })}</span>
            <ul aria-label={t('tasks.NextRuns', { zone: timezone })}>
              {runs.map((run) => (
                <li key={run.getTime()}>
                  <time dateTime={run.toISOString()}>{write(run)}</time>
                </li>
              ))}
            </ul>
            {timezone !== ownZone() && (
              <span>{t('tasks.FirstForYou', { time: zonedTime(tag, undefined, needSeconds(runs))(first) })}</span>
            )}
          </div>
        )}
      </div>
      {expression !== '' && <CodeText className={classes.expression ?? ''}>{expression}</CodeText>}
    </div>
  )
}

/** The name of a weekday, 0 being Sunday. */
function nameOfWeekday(tag: string, weekday: number, length: 'long' | 'short'): string {
  // The first of January 2023 was a Sunday.
  const day = new Date(Date.UTC(2023, 0, 1 + weekday))
  return new Intl.DateTimeFormat(tag, { weekday: length, timeZone: 'UTC' }).format(day)
}
