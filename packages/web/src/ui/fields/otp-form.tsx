import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { ErrorAlert } from '../feedback/error-alert.tsx'
import { errorMessage } from '../text/error-message.ts'
import { OtpInput, otpDigits } from './otp-input.tsx'

interface OtpFormProps {
  /** Label of the submit button. */
  readonly action: string
  /** When it rejects, the form shows the error. */
  readonly submit: (code: string) => Promise<void>
  /** Also accepts a recovery code, or nothing else. */
  readonly allowRecoveryCode?: boolean | 'only'
  readonly isDangerous?: boolean
  /** Cancels, or goes back. */
  readonly secondaryAction: { readonly label: string; readonly run: () => void }
}

/**
 * Asks for a code of the authenticator app. The first complete code is sent automatically; after a wrong one the user
 * submits, because attempts are limited.
 */
export function OtpForm(props: OtpFormProps) {
  const { action, submit, allowRecoveryCode = false, isDangerous = false, secondaryAction } = props
  const t = useT()
  const [type, setType] = useState<'code' | 'recovery'>(allowRecoveryCode === 'only' ? 'recovery' : 'code')
  const [code, setCode] = useState('')
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const [isPending, setIsPending] = useState(false)
  const wasAutoSubmitted = useRef(false)
  const input = useRef<HTMLInputElement>(null)
  const isComplete = type === 'code' ? code.length === otpDigits : code.trim() !== ''

  const send = async (value: string) => {
    if (isPending) return
    setIsPending(true)
    setFailure(undefined)
    try {
      await submit(value.trim())
    } catch (error) {
      setFailure({ error })
      setCode('')
      input.current?.focus()
    } finally {
      setIsPending(false)
    }
  }
  const change = (value: string) => {
    setCode(value)
    setFailure(undefined)
    if (type !== 'code' || value.length < otpDigits || wasAutoSubmitted.current) return
    wasAutoSubmitted.current = true
    void send(value)
  }
  const toggleType = () => {
    setType((before) => (before === 'code' ? 'recovery' : 'code'))
    setCode('')
    setFailure(undefined)
  }

  return (
    <form
      noValidate
      style={{ inlineSize: '100%' }}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (isComplete) void send(code)
        else input.current?.focus()
      }}
    >
      <Stack gap="lg">
        {failure && <ErrorAlert error={failure.error} message={otpErrorMessage(t, failure.error, type)} />}
        {type === 'code' ? (
          <OtpInput
            key="code"
            autoFocus
            inputRef={input}
            label={t('two-factor.Code')}
            value={code}
            onChange={change}
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
            onChange={(event) => change(event.currentTarget.value)}
          />
        )}
        <Button type="submit" h={40} loading={isPending} disabled={!isComplete} {...(isDangerous && { color: 'red' })}>
          {action}
        </Button>
        <Group justify="center" gap="2xs">
          {allowRecoveryCode === true && (
            <Button size="xs" variant="subtle" onClick={toggleType}>
              {t(type === 'code' ? 'two-factor.UseRecoveryCode' : 'two-factor.UseCode')}
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={secondaryAction.run}>
            {secondaryAction.label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Returns the message for a two-factor code that the server rejected. */
function otpErrorMessage(t: TFunction, error: unknown, type: 'code' | 'recovery' = 'code'): string {
  if (!isRefusal(error, 'ErrInvalidCredentials')) return errorMessage(t, error)
  return t(type === 'code' ? 'two-factor.WrongCode' : 'two-factor.WrongRecoveryCode')
}
