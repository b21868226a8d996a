import { type Ref, useId, useState } from 'react'
import classes from './otp-input.module.css'

/** How many digits a code of an authenticator app has. */
export const otpDigits = 6

/** The digits in what was typed, pasted or filled in; codes are often copied with blanks or a hyphen in them. */
export function extractDigits(text: string): string {
  return text.replace(/\D/g, '').slice(0, otpDigits)
}

interface CodeInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (digits: string) => void
  /** What was typed last was refused; why is said beside the field. */
  readonly isInvalid?: boolean
  readonly disabled?: boolean
  readonly autoFocus?: boolean
  /** The label is seen elsewhere: here it is only read out. */
  readonly isLabelHidden?: boolean
  readonly inputRef?: Ref<HTMLInputElement>
}

/**
 * Six boxes that are one field: a real input lies over them, so that pasting, filling in by the browser or phone,
 * and screen readers work as in any other field.
 */
export function OtpInput({
  label,
  value,
  onChange,
  isInvalid = false,
  disabled = false,
  autoFocus = false,
  isLabelHidden = false,
  inputRef,
}: CodeInputProps) {
  const id = useId()
  const [hasFocus, setHasFocus] = useState(false)
  const at = Math.min(value.length, otpDigits - 1)

  return (
    <div className={classes.field}>
      <label htmlFor={id} className={isLabelHidden ? classes.unseen : classes.label}>
        {label}
      </label>
      <div className={classes.boxes} dir="ltr" data-error={isInvalid || undefined}>
        {Array.from({ length: otpDigits }, (_, box) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a box is its place
          <span key={box} className={classes.box} data-here={(hasFocus && box === at) || undefined} aria-hidden>
            {value[box] ?? (hasFocus && box === at && <i className={classes.caret} />)}
          </span>
        ))}
        <input
          ref={inputRef}
          id={id}
          className={classes.input}
          value={value}
          disabled={disabled}
          // biome-ignore lint/a11y/noAutofocus: the field is all that the dialog is for
          autoFocus={autoFocus}
          {...(autoFocus ? { 'data-autofocus': true } : {})}
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9]*"
          spellCheck={false}
          aria-invalid={isInvalid || undefined}
          onChange={(event) => onChange(extractDigits(event.currentTarget.value))}
          onFocus={() => setHasFocus(true)}
          onBlur={() => setHasFocus(false)}
        />
      </div>
    </div>
  )
}
