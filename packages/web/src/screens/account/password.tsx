import { listSessions, putSelf } from '@innkeeper/contract/account'
import { Button, PasswordInput } from '@mantine/core'
import { type FormEvent, use, useRef, useState } from 'react'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { objectionTo } from '../../features/new-account/rules.ts'
import { useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import { PasswordRules } from '../../ui/password-rules.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './account-screen.module.css'
import { Part } from './part.tsx'
import { placeOf } from './problems.ts'

const fields = ['password', 'newPassword', 'repeated'] as const
type Field = (typeof fields)[number]
const nothing: Readonly<Record<Field, string>> = { password: '', newPassword: '', repeated: '' }

/** Another password, in exchange for the current one. */
export function PasswordPart() {
  const text = useText()
  const tell = use(TellRefusalContext)
  const { self } = useSession()
  const put = useSend(putSelf, { quiet: true, refreshes: [listSessions] })
  const [values, setValues] = useState(nothing)
  const [problems, setProblems] = useState<Partial<Record<Field, string>>>({})
  const form = useRef<HTMLFormElement>(null)

  const show = (found: Partial<Record<Field, string>>) => {
    setProblems(found)
    const first = fields.find((field) => found[field] !== undefined)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const judged = () => {
    const typed = { username: '', email: '', password: values.newPassword, repeated: values.repeated }
    const wrong = objectionTo(text, 'password', typed)
    const differs = objectionTo(text, 'repeated', typed)
    const isMissing = values.password === ''
    return {
      ...(isMissing ? { password: text('errors.ErrFieldRequired', { field: text('account.CurrentPassword') }) } : {}),
      ...(wrong === undefined ? {} : { newPassword: wrong }),
      ...(differs === undefined ? {} : { repeated: differs }),
    }
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const found = judged()
    show(found)
    if (Object.keys(found).length > 0) return
    try {
      await put.send({ body: { password: values.password, newPassword: values.newPassword } })
      setValues(nothing)
      toast.success(text('account.PasswordChanged'), { detail: text('account.OthersEnded') })
    } catch (error) {
      const at = placeOf(text, error, fields)
      if (at) show(at)
      else tell(error)
    }
  }
  const field = (name: Field) => ({
    name,
    value: values[name],
    error: problems[name],
    visibilityToggleButtonProps: { 'aria-label': text('login.Reveal') },
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setValues((typed) => ({ ...typed, [name]: value }))
      setProblems(({ [name]: _, ...others }) => others)
    },
  })

  return (
    <Part id="password" title={text('account.Password')}>
      <form ref={form} noValidate onSubmit={save} aria-label={text('account.Password')}>
        {/* Tells password managers whose password it is. */}
        <input
          className={classes.unseen}
          autoComplete="username"
          value={self?.email ?? ''}
          readOnly
          tabIndex={-1}
          aria-hidden
        />
        <div className={classes.fields}>
          <PasswordInput
            {...field('password')}
            label={text('account.CurrentPassword')}
            autoComplete="current-password"
          />
          <div>
            <PasswordInput {...field('newPassword')} label={text('account.NewPassword')} autoComplete="new-password" />
            <PasswordRules password={values.newPassword} repeated={values.repeated} />
          </div>
          <PasswordInput {...field('repeated')} label={text('account.NewPasswordAgain')} autoComplete="new-password" />
        </div>
        <div className={classes.buttons}>
          <Button type="submit" loading={put.pending}>
            {text('account.ChangePassword')}
          </Button>
        </div>
      </form>
    </Part>
  )
}
