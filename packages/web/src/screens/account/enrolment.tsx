import { confirmOtp, getOtp, listSessions, type startOtp } from '@innkeeper/contract/account'
import type { AnswerOf } from '@innkeeper/contract/call'
import { limits } from '@innkeeper/contract/limits'
import { listSshKeys } from '@innkeeper/contract/ssh-keys'
import { Button, Checkbox } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type FormEvent, useRef, useState } from 'react'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { CodeInput, codeDigits } from '../../ui/code-input.tsx'
import { codeProblem } from '../../ui/code-problem.ts'
import { RefusalNotice } from '../../ui/refusal-notice.tsx'
import classes from './enrolment.module.css'

interface EnrolmentProps {
  readonly started: AnswerOf<typeof startOtp>
  readonly onCancel: () => void
  readonly onDone: (recoveryCodes: readonly string[]) => void
}

/** Tells an authenticator app the secret, and proves with a code that it has it. */
export function Enrolment({ started: { secret, img }, onCancel, onDone }: EnrolmentProps) {
  const text = useText()
  const confirm = useSend(confirmOtp, { quiet: true, refreshes: [getOtp, listSessions, listSshKeys] })
  const { copied, copy } = useClipboard({ timeout: limits.copiedMs })
  const [code, setCode] = useState('')
  const keys = useCall(listSshKeys)
  const [keepSshKeys, setKeepSshKeys] = useState(false)
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const input = useRef<HTMLInputElement>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (code.length < codeDigits) return input.current?.focus()
    setFailure(undefined)
    try {
      const { recoveryCodes } = await confirm.send({ body: { token: code, keepSshKeys } })
      onDone(recoveryCodes)
    } catch (error) {
      setFailure({ error })
      setCode('')
      input.current?.focus()
    }
  }
  return (
    <form noValidate onSubmit={submit} aria-label={text('two-factor.SetUp')}>
      <div className={classes.enrolment}>
        <img className={classes.qr} src={img} width={184} height={184} alt={text('two-factor.QrCode')} />
        <ol className={classes.steps}>
          <li>
            <b>{text('two-factor.Scan')}</b>
            <p>{text('two-factor.ScanHint')}</p>
          </li>
          <li>
            <b>{text('two-factor.OrType')}</b>
            <div className={classes.secretRow}>
              <code className={classes.secret} dir="ltr">
                {inFours(secret)}
              </code>
              <Button
                size="xs"
                variant="default"
                aria-label={copied ? text('common.Copied') : text('two-factor.CopySecret')}
                leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                onClick={() => copy(secret)}
              >
                {copied ? text('common.Copied') : text('oauth.Copy')}
              </Button>
            </div>
          </li>
          <li>
            <b aria-hidden>{text('two-factor.EnterShown')}</b>
            <CodeInput
              isLabelHidden
              label={text('two-factor.EnterShown')}
              inputRef={input}
              value={code}
              isInvalid={failure !== undefined}
              onChange={(digits) => {
                setCode(digits)
                setFailure(undefined)
              }}
            />
            {failure && <RefusalNotice error={failure.error} message={codeProblem(text, failure.error)} />}
          </li>
        </ol>
      </div>
      {keys.data !== undefined && keys.data.length > 0 && (
        <Checkbox
          mt="md"
          label={text('two-factor.KeepKeys', { count: keys.data.length })}
          description={text('two-factor.KeepKeysHow')}
          checked={keepSshKeys}
          onChange={(event) => setKeepSshKeys(event.currentTarget.checked)}
        />
      )}
      <div className={classes.foot}>
        <p>{text('two-factor.AskedAtEveryLogin')}</p>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={confirm.pending}>
          {text('common.Cancel')}
        </Button>
        <Button type="submit" loading={confirm.pending} disabled={code.length < codeDigits}>
          {text('two-factor.TurnOn')}
        </Button>
      </div>
    </form>
  )
}

/** `KB6X 5T2J Q4WL`: easier to read aloud and to type. */
export function inFours(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? ''
}
