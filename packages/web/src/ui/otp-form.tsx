import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { ErrorAlert } from './error-alert.tsx'
import { otpErrorMessage } from './otp-error-message.ts'
import classes from './otp-form.module.css'
import { OtpInput, otpDigits } from './otp-input.tsx'

interface OtpFormProps {
  /** What the button says. */
  readonly action: string
  /** Rejects with the refusal, which is shown here. */
  readonly submit: (code: string) => Promise<void>
  /** Whether a recovery code does as well. */
  readonly takesRecoveryCode?: boolean
  readonly isDangerous?: boolean
  /** The way out. */
  readonly leave: { readonly label: string; readonly run: () => void }
}

/**
 * Asks for a code of the authenticator. The first time that it has all its digits it goes out by itself; after a
 * wrong one the person decides, because tries are few.
 */
export function OtpForm({ action, submit, takesRecoveryCode = false, isDangerous = false, leave }: OtpFormProps) {
  const t = useT()
  const [kind, setKind] = useState<'code' | 'recovery'>('code')
  const [code, setCode] = useState('')
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const [isPending, setIsPending] = useState(false)
  const wentByItself = useRef(false)
  const input = useRef<HTMLInputElement>(null)
  const isWhole = kind === 'code' ? code.length === otpDigits : code.trim() !== ''

  const send = async (whole: string) => {
    if (isPending) return
    setIsPending(true)
    setFailure(undefined)
    try {
      await submit(whole.trim())
    } catch (error) {
      setFailure({ error })
      setCode('')
      input.current?.focus()
    } finally {
      setIsPending(false)
    }
  }
  const type = (typed: string) => {
    setCode(typed)
    setFailure(undefined)
    if (kind !== 'code' || typed.length < otpDigits || wentByItself.current) return
    wentByItself.current = true
    void send(typed)
  }
  const change = () => {
    setKind((before) => (before === 'code' ? 'recovery' : 'code'))
    setCode('')
    setFailure(undefined)
  }

  return (
    <form
      noValidate
      className={classes.form}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (isWhole) void send(code)
        else input.current?.focus()
      }}
    >
      {failure && <ErrorAlert error={failure.error} message={otpErrorMessage(t, failure.error, kind)} />}
      {kind === 'code' ? (
        <OtpInput
          key="code"
          autoFocus
          isLabelHidden
          inputRef={input}
          label={t('two-factor.Code')}
          value={code}
          onChange={type}
          isInvalid={failure !== undefined}
        />
      ) : (
        <TextInput
          key="recovery"
          autoFocus
          data-autofocus
          ref={input}
          label={t('two-factor.RecoveryCode')}
          description={t('two-factor.RecoveryCodeHint')}
          dir="ltr"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={code}
          onChange={(event) => type(event.currentTarget.value)}
        />
      )}
      <Button type="submit" h={40} loading={isPending} disabled={!isWhole} {...(isDangerous ? { color: 'red' } : {})}>
        {action}
      </Button>
      <div className={classes.ways}>
        {takesRecoveryCode && (
          <Button size="xs" variant="subtle" color="gray" onClick={change}>
            {t(kind === 'code' ? 'two-factor.UseRecoveryCode' : 'two-factor.UseCode')}
          </Button>
        )}
        <Button size="xs" variant="subtle" color="gray" onClick={leave.run}>
          {leave.label}
        </Button>
      </div>
    </form>
  )
}
