import { VisuallyHidden } from '@mantine/core'
import { type Ref, useId, useState } from 'react'
import classes from './otp-input.module.css'

/** Digits of a code of an authenticator app. */
export const otpDigits = 6

/** Removes everything but digits: codes are often pasted with a space or a hyphen. */
function extractDigits(text: string): string {
  return text.replace(/\D/g, '').slice(0, otpDigits)
}

interface OtpInputProps {
  /** Only for screen readers: the page shows it elsewhere. */
  readonly label: string
  readonly value: string
  readonly onChange: (digits: string) => void
  /** The server rejected the last code. The caller shows the message. */
  readonly isInvalid?: boolean
  readonly autoFocus?: boolean
  readonly inputRef?: Ref<HTMLInputElement>
  /** Its field in a form of `forms/`, which focuses it after an error. */
  readonly 'data-path'?: string
}

/**
 * Six boxes with one transparent input on top of them, so that pasting, autofill and screen readers work as in any
 * other field. Mantine's `PinInput` has one input for each digit.
 */
export function OtpInput(props: OtpInputProps) {
  const { label, value, onChange, isInvalid = false, autoFocus = false, inputRef, 'data-path': path } = props
  const id = useId()
  const [hasFocus, setHasFocus] = useState(false)
  const current = hasFocus ? Math.min(value.length, otpDigits - 1) : undefined

  return (
    <div className={classes.field}>
      <VisuallyHidden>
        <label htmlFor={id}>{label}</label>
      </VisuallyHidden>
      <div className={classes.boxes} dir="ltr" data-error={isInvalid || undefined}>
        {Array.from({ length: otpDigits }, (_, box) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a box is identified by its index
          <span key={box} className={classes.box} data-current={box === current || undefined} aria-hidden>
            {value[box] ?? (box === current && <i className={classes.caret} />)}
          </span>
        ))}
        <input
          ref={inputRef}
          id={id}
          data-path={path}
          className={classes.input}
          value={value}
          // biome-ignore lint/a11y/noAutofocus: the dialog has no other field
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
