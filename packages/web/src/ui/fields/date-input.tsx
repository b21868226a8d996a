import { Box, TextInput, Tooltip } from '@mantine/core'
import { useFormatters } from '../../i18n/use-formatters.ts'
import classes from './date-input.module.css'

interface DateInputProps {
  readonly label: string
  /** `2026-11-21`, or empty. */
  readonly value: string
  readonly min?: string | undefined
  readonly max?: string | undefined
  readonly onChange: (value: string) => void
}

/** The date field of the browser, in a filter bar. Without a date it shows its label. */
export function DateInput({ label, value, min, max, onChange }: DateInputProps) {
  const { date } = useFormatters()
  const time = Date.parse(`${value}T00:00`)
  return (
    <Box pos="relative" className={classes.root} flex={{ base: 1, sm: 'initial' }} miw={0}>
      <Tooltip label={label}>
        <TextInput
          type="date"
          className="ik-soft"
          classNames={{ input: classes.input ?? '' }}
          aria-label={label}
          value={value}
          min={min || undefined}
          max={max || undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </Tooltip>
      <span className={classes.text} data-empty={Number.isNaN(time) || undefined} aria-hidden>
        {Number.isNaN(time) ? label : date(time)}
      </span>
    </Box>
  )
}
