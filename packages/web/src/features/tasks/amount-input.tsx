import { NumberInput } from '@mantine/core'
import { useState } from 'react'
import classes from './cron-editor.module.css'

interface AmountInputProps {
  /** Shown above it. */
  readonly label?: string
  /** Its name where something else says what it is. */
  readonly name?: string
  readonly value: number
  readonly least?: number
  readonly most: number
  /** Written with two digits. */
  readonly isClock?: boolean
  readonly onChange: (value: number) => void
}

/** A whole number. What is typed counts at once, within the limits; on leaving, what counts is shown. */
export function AmountInput({ label, name, value, least = 0, most, isClock = false, onChange }: AmountInputProps) {
  const [typed, setTyped] = useState<string>()
  const written = isClock ? String(value).padStart(2, '0') : String(value)

  return (
    <NumberInput
      className={classes.amount}
      {...(label === undefined ? { 'aria-label': name } : { label })}
      value={typed ?? written}
      min={least}
      max={most}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      dir="ltr"
      trimLeadingZeroesOnBlur={false}
      onChange={(next) => {
        setTyped(String(next))
        const number = Math.min(Math.max(Number(next), least), most)
        if (next !== '' && number !== value) onChange(number)
      }}
      onBlur={() => setTyped(undefined)}
    />
  )
}
