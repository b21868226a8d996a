import { putSelf } from '@innkeeper/contract/account'
import { getSelf, type Self } from '@innkeeper/contract/panel'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { type FormEvent, use, useRef, useState } from 'react'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { objectionTo } from '../../features/new-account/rules.ts'
import { useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './account-screen.module.css'
import { Part } from './part.tsx'
import { placeOf } from './problems.ts'

/** Name and address; the current password is asked as soon as something differs. */
export function Details() {
  const { self } = useSession()
  // Another answer of the panel starts the form anew.
  return <DetailsForm key={`${self?.username}\n${self?.email}`} self={self} />
}

const fields = ['username', 'email', 'password'] as const
type Field = (typeof fields)[number]

function DetailsForm({ self }: { self: Self | undefined }) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const put = useSend(putSelf, { quiet: true, refreshes: [getSelf] })
  const before = { username: self?.username ?? '', email: self?.email ?? '', password: '' }
  const [values, setValues] = useState<Readonly<Record<Field, string>>>(before)
  const [problems, setProblems] = useState<Partial<Record<Field, string>>>({})
  const form = useRef<HTMLFormElement>(null)
  const username = values.username.trim()
  const email = values.email.trim()
  const changed = {
    ...(username === before.username ? {} : { username }),
    ...(email === before.email ? {} : { email }),
  }
  const isChanged = Object.keys(changed).length > 0

  const show = (found: Partial<Record<Field, string>>) => {
    setProblems(found)
    const first = fields.find((field) => found[field] !== undefined)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const judged = () => {
    const typed = { username, email, password: '', repeated: '' }
    const found: Partial<Record<Field, string>> = {}
    for (const field of ['username', 'email'] as const) {
      const objection = field in changed ? objectionTo(text, field, typed) : undefined
      if (objection) found[field] = objection
    }
    if (values.password === '') {
      found.password = text('errors.ErrFieldRequired', { field: text('account.CurrentPassword') })
    }
    return found
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (!isChanged) return
    const found = judged()
    show(found)
    if (Object.keys(found).length > 0) return
    try {
      await put.send({ body: { ...changed, password: values.password } })
      toast.success(text('common.Saved'))
    } catch (error) {
      const at = placeOf(text, error, fields)
      if (at) show(at)
      else tell(error)
    }
  }
  const discard = () => {
    setValues(before)
    setProblems({})
  }
  const field = (name: Field) => ({
    name,
    value: values[name],
    error: problems[name],
    disabled: self === undefined,
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setValues((typed) => ({ ...typed, [name]: value }))
      setProblems(({ [name]: _, ...others }) => others)
    },
  })

  return (
    <Part id="details" title={text('account.Details')}>
      <form ref={form} noValidate onSubmit={save} aria-label={text('account.Details')}>
        <div className={classes.fields}>
          <TextInput
            {...field('username')}
            label={text('account.Username')}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
          />
          <TextInput {...field('email')} type="email" label={text('account.Email')} autoComplete="email" />
          {isChanged && (
            <PasswordInput
              {...field('password')}
              label={text('account.CurrentPassword')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': text('login.Reveal') }}
            />
          )}
        </div>
        {isChanged && (
          <div className={classes.buttons}>
            <Button variant="subtle" color="gray" onClick={discard} disabled={put.pending}>
              {text('common.Discard')}
            </Button>
            <Button type="submit" loading={put.pending}>
              {text('common.Save')}
            </Button>
          </div>
        )}
      </form>
    </Part>
  )
}
