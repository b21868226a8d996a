import { setup } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { Email, Username } from '@innkeeper/contract/names'
import { getConfig } from '@innkeeper/contract/panel'
import { Button, PasswordInput, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, use, useRef, useState } from 'react'
import { Navigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { keyOf, useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { type Text, useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import doorClasses from '../../ui/front-door.module.css'
import { FrontDoor } from '../../ui/front-door.tsx'
import { BrandContext } from '../../ui/page.tsx'
import { PasswordRules } from '../../ui/password-rules.tsx'
import { fieldOf, messageOf } from '../../ui/refusal.tsx'
import { RefusalNotice } from '../../ui/refusal-notice.tsx'
import { Mono } from '../../ui/small.tsx'
import classes from './setup-screen.module.css'

const fields = ['code', 'username', 'email', 'password', 'repeated'] as const
type Field = (typeof fields)[number]
type Values = Readonly<Record<Field, string>>
type Problems = Partial<Record<Field, string>>

/** The first administrator, made by whoever can read the terminal in which Innkeeper was started. */
export function SetupScreen() {
  const text = useText()
  const brand = use(BrandContext)
  const queries = useQueryClient()
  const { begin, loggedIn } = useSession()
  const config = useCall(getConfig, {}, { staleTime: 60_000 })
  const { send, pending } = useSend(setup, { quiet: true })
  const [values, setValues] = useState<Values>({ code: '', username: '', email: '', password: '', repeated: '' })
  const [isOpen, setIsOpen] = useState(false)
  const [problems, setProblems] = useState<Problems>({})
  const [refusal, setRefusal] = useState<unknown>()
  const form = useRef<HTMLFormElement>(null)

  if (loggedIn) return <Navigate to="/server" replace />
  if (config.data?.setupNeeded === false) return <Navigate to="/auth/login" replace />

  const show = (found: Problems) => {
    setProblems(found)
    const first = fields.find((field) => found[field] !== undefined)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setRefusal(undefined)
    const found = problemsOf(text, values)
    show(found)
    if (Object.keys(found).length > 0) return
    const { code, username, email, password } = values
    try {
      const body = { code: code.trim(), username, email: email.trim(), password, registrationEnabled: isOpen }
      const session = await send({ body })
      queries.setQueryData(keyOf(getConfig, {}), (before) => before && { ...before, setupNeeded: false })
      begin(session)
    } catch (error) {
      const field = isRefusal(error, 'ErrSetupCode') ? 'code' : fields.find((name) => name === fieldOf(error))
      if (field) show({ [field]: messageOf(text, error) })
      else setRefusal(error)
      if (isRefusal(error, 'ErrSetupDone')) void config.refetch()
    }
  }
  const field = (name: Field) => ({
    name,
    label: text(`setup.${name}`),
    value: values[name],
    error: problems[name],
    required: true,
    withAsterisk: false,
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setValues((before) => ({ ...before, [name]: value }))
      setProblems(({ [name]: _, ...others }) => others)
    },
  })
  const reveal = { visibilityToggleButtonProps: { 'aria-label': text('login.Reveal') } }

  return (
    <FrontDoor
      wide
      title={text('setup.Title', { brand })}
      subtitle={text('setup.Subtitle')}
      corner={
        <>
          <SchemeToggle />
          <LanguageButton />
        </>
      }
    >
      <form ref={form} className={doorClasses.form} onSubmit={submit} noValidate>
        {refusal !== undefined && <RefusalNotice error={refusal} />}
        <div className={classes.code}>
          <TextInput
            {...field('code')}
            autoFocus
            autoComplete="one-time-code"
            spellCheck={false}
            autoCapitalize="none"
            dir="ltr"
            classNames={{ input: classes.mono ?? '' }}
          />
          <p className={classes.where}>{text('setup.CodeWhere')}</p>
          <p className={classes.terminal} aria-hidden>
            <Mono>{text('setup.CodeSample')}</Mono>
          </p>
        </div>
        <TextInput {...field('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
        <TextInput {...field('email')} type="email" autoComplete="email" />
        <div>
          <PasswordInput {...field('password')} {...reveal} autoComplete="new-password" />
          <PasswordRules password={values.password} repeated={values.repeated} />
        </div>
        <PasswordInput {...field('repeated')} {...reveal} autoComplete="new-password" />
        <Switch
          label={text('setup.Registration')}
          description={text('setup.RegistrationHow')}
          checked={isOpen}
          onChange={(event) => setIsOpen(event.currentTarget.checked)}
        />
        <Button type="submit" h={40} loading={pending}>
          {text('setup.Create')}
        </Button>
      </form>
    </FrontDoor>
  )
}

/** What stands against the values, by field, before the panel is asked. */
function problemsOf(text: Text, values: Values): Problems {
  const missing = (field: Field) => ({
    [field]: text('errors.ErrFieldRequired', { field: text(`setup.${field}`) }),
  })
  return {
    ...(values.code.trim() === '' ? missing('code') : {}),
    ...(Username.safeParse(values.username).success ? {} : { username: text('errors.ErrUsernameRequirements') }),
    ...(Email.safeParse(values.email.trim()).success
      ? {}
      : { email: text('errors.ErrFieldNotEmail', { field: text('setup.email') }) }),
    ...(values.password.length >= limits.passwordMin ? {} : { password: text('errors.ErrPasswordRequirements') }),
    ...(values.password === values.repeated ? {} : { repeated: text('errors.ErrPasswordsNotIdentical') }),
  }
}
