import { confirmOtp, getOtp, listSessions, type startOtp } from '@innkeeper/contract/account'
import type { AnswerOf } from '@innkeeper/contract/call'
import { limits } from '@innkeeper/contract/limits'
import { listSshKeys } from '@innkeeper/contract/ssh-keys'
import { Button, Checkbox } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type FormEvent, useRef, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { otpErrorMessage } from '../../ui/otp-error-message.ts'
import { OtpInput, otpDigits } from '../../ui/otp-input.tsx'
import classes from './enrolment.module.css'

interface EnrolmentProps {
  readonly started: AnswerOf<typeof startOtp>
  readonly onCancel: () => void
  readonly onDone: (recoveryCodes: readonly string[]) => void
}

/** Tells an authenticator app the secret, and proves with a code that it has it. */
export function Enrolment({ started: { secret, img }, onCancel, onDone }: EnrolmentProps) {
  const t = useT()
  const confirm = useApiMutation(confirmOtp, { silent: true, invalidates: [getOtp, listSessions, listSshKeys] })
  const { copied, copy } = useClipboard({ timeout: limits.copiedMs })
  const [code, setCode] = useState('')
  const keys = useApiQuery(listSshKeys)
  const [keepSshKeys, setKeepSshKeys] = useState(false)
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const input = useRef<HTMLInputElement>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (code.length < otpDigits) return input.current?.focus()
    setFailure(undefined)
    try {
      const { recoveryCodes } = await confirm.mutateAsync({ body: { token: code, keepSshKeys } })
      onDone(recoveryCodes)
    } catch (error) {
      setFailure({ error })
      setCode('')
      input.current?.focus()
    }
  }
  return (
    <form noValidate onSubmit={submit} aria-label={t('two-factor.SetUp')}>
      <div className={classes.enrolment}>
        <img className={classes.qr} src={img} width={184} height={184} alt={t('two-factor.QrCode')} />
        <ol className={classes.steps}>
          <li>
            <b>{t('two-factor.Scan')}</b>
            <p>{t('two-factor.ScanHint')}</p>
          </li>
          <li>
            <b>{t('two-factor.OrType')}</b>
            <div className={classes.secretRow}>
              <code className={classes.secret} dir="ltr">
                {inFours(secret)}
              </code>
              <Button
                size="xs"
                variant="default"
                aria-label={copied ? t('common.Copied') : t('two-factor.CopySecret')}
                leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                onClick={() => copy(secret)}
              >
                {copied ? t('common.Copied') : t('oauth.Copy')}
              </Button>
            </div>
          </li>
          <li>
            <b aria-hidden>{t('two-factor.EnterShown')}</b>
            <OtpInput
              isLabelHidden
              label={t('two-factor.EnterShown')}
              inputRef={input}
              value={code}
              isInvalid={failure !== undefined}
              onChange={(digits) => {
                setCode(digits)
                setFailure(undefined)
              }}
            />
            {failure && <ErrorAlert error={failure.error} message={otpErrorMessage(t, failure.error)} />}
          </li>
        </ol>
      </div>
      {keys.data !== undefined && keys.data.length > 0 && (
        <Checkbox
          mt="md"
          label={t('two-factor.KeepKeys', { count: keys.data.length })}
          description={t('two-factor.KeepKeysHow')}
          checked={keepSshKeys}
          onChange={(event) => setKeepSshKeys(event.currentTarget.checked)}
        />
      )}
      <div className={classes.foot}>
        <p>{t('two-factor.AskedAtEveryLogin')}</p>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={confirm.isPending}>
          {t('common.Cancel')}
        </Button>
        <Button type="submit" loading={confirm.isPending} disabled={code.length < otpDigits}>
          {t('two-factor.TurnOn')}
        </Button>
      </div>
    </form>
  )
}

/** `KB6X 5T2J Q4WL`: easier to read aloud and to type. */
export function inFours(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? ''
}
