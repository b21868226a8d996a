import { NumberInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { twoDigits } from '../../i18n/formatters.ts'

export interface NumberFieldProps {
  readonly label?: string
  /** Instead of a visible label. */
  readonly 'aria-label'?: string
  /** Help below the input, as wide as the form. */
  readonly description?: string
  readonly error?: ReactNode
  /** The field of a form. */
  readonly 'data-path'?: string
  /** Default: a few digits wide. */
  readonly w?: string
  readonly value: number
  readonly min?: number
  readonly max: number
  /** Shows at least two digits, as clocks do. */
  readonly isPadded?: boolean
  readonly onChange: (value: number) => void
  readonly onBlur?: () => void
}

/** An integer input. It reports the typed number clamped to its limits, and shows that number on blur. */
export function NumberField(props: NumberFieldProps) {
  const { value, min = 0, max, isPadded = false, onChange, onBlur, ...input } = props
  const { w = input.label === undefined ? '4.5rem' : '8rem' } = props
  const [text, setText] = useState<string>()

  return (
    <NumberInput
      {...input}
      {...(input.description === undefined ? { w } : { styles: { wrapper: { width: w } } })}
      value={text ?? (isPadded ? twoDigits(value) : String(value))}
      min={min}
      max={max}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      dir="ltr"
      trimLeadingZeroesOnBlur={false}
      onChange={(next) => {
        setText(String(next))
        const number = Math.min(Math.max(Number(next), min), max)
        if (next !== '' && number !== value) onChange(number)
      }}
      onBlur={() => {
        setText(undefined)
        onBlur?.()
      }}
    />
  )
}
