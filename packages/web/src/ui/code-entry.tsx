import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { useText } from '../i18n/text.tsx'
import classes from './code-entry.module.css'
import { CodeInput, codeDigits } from './code-input.tsx'
import { codeProblem } from './code-problem.ts'
import { RefusalNotice } from './refusal-notice.tsx'

interface CodeEntryProps {
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
export function CodeEntry({ action, submit, takesRecoveryCode = false, isDangerous = false, leave }: CodeEntryProps) {
  const text = useText()
  const [kind, setKind] = useState<'code' | 'recovery'>('code')
  const [code, setCode] = useState('')
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const [isPending, setIsPending] = useState(false)
  const wentByItself = useRef(false)
  const input = useRef<HTMLInputElement>(null)
  const isWhole = kind === 'code' ? code.length === codeDigits : code.trim() !== ''

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
    if (kind !== 'code' || typed.length < codeDigits || wentByItself.current) return
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
      {failure && <RefusalNotice error={failure.error} message={codeProblem(text, failure.error, kind)} />}
      {kind === 'code' ? (
        <CodeInput
          key="code"
          autoFocus
          isLabelHidden
          inputRef={input}
          label={text('two-factor.Code')}
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
          label={text('two-factor.RecoveryCode')}
          description={text('two-factor.RecoveryCodeHint')}
          inputWrapperOrder={['label', 'input', 'description']}
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
            {text(kind === 'code' ? 'two-factor.UseRecoveryCode' : 'two-factor.UseCode')}
          </Button>
        )}
        <Button size="xs" variant="subtle" color="gray" onClick={leave.run}>
          {leave.label}
        </Button>
      </div>
    </form>
  )
}
