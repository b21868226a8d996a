import { setup } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { Email, Username } from '@innkeeper/contract/names'
import { getConfig } from '@innkeeper/contract/panel'
import { Button, PasswordInput, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, use, useRef, useState } from 'react'
import { Navigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api-query.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import doorClasses from '../../ui/auth-layout.module.css'
import { AuthLayout } from '../../ui/auth-layout.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { errorField, errorMessage } from '../../ui/error-message.ts'
import { BrandContext } from '../../ui/page.tsx'
import { PasswordRules } from '../../ui/password-rules.tsx'
import classes from './setup-screen.module.css'

const fields = ['code', 'username', 'email', 'password', 'repeated'] as const
type Field = (typeof fields)[number]
type Values = Readonly<Record<Field, string>>
type Problems = Partial<Record<Field, string>>

/** The first administrator, made by whoever can read the terminal in which Innkeeper was started. */
export function SetupScreen() {
  const t = useT()
  const brand = use(BrandContext)
  const queries = useQueryClient()
  const { start, loggedIn } = useSession()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const { mutateAsync, isPending } = useApiMutation(setup, { silent: true })
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
    const found = problemsOf(t, values)
    show(found)
    if (Object.keys(found).length > 0) return
    const { code, username, email, password } = values
    try {
      const body = { code: code.trim(), username, email: email.trim(), password, registrationEnabled: isOpen }
      const session = await mutateAsync({ body })
      queries.setQueryData(getQueryKey(getConfig, {}), (before) => before && { ...before, setupNeeded: false })
      start(session)
    } catch (error) {
      const field = isRefusal(error, 'ErrSetupCode') ? 'code' : fields.find((name) => name === errorField(error))
      if (field) show({ [field]: errorMessage(t, error) })
      else setRefusal(error)
      if (isRefusal(error, 'ErrSetupDone')) void config.refetch()
    }
  }
  const field = (name: Field) => ({
    name,
    label: t(`setup.${name}`),
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

  return (
    <AuthLayout
      wide
      title={t('setup.Title', { brand })}
      subtitle={t('setup.Subtitle')}
      corner={
        <>
          <SchemeToggle />
          <LanguageButton />
        </>
      }
    >
      <form ref={form} className={doorClasses.form} onSubmit={submit} noValidate>
        {refusal !== undefined && <ErrorAlert error={refusal} />}
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
          <p className={classes.where}>{t('setup.CodeWhere')}</p>
          <p className={classes.terminal} aria-hidden>
            <CodeText>{t('setup.CodeSample')}</CodeText>
          </p>
        </div>
        <TextInput {...field('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
        <TextInput {...field('email')} type="email" autoComplete="email" />
        <div>
          <PasswordInput {...field('password')} autoComplete="new-password" />
          <PasswordRules password={values.password} repeated={values.repeated} />
        </div>
        <PasswordInput {...field('repeated')} autoComplete="new-password" />
        <Switch
          label={t('setup.Registration')}
          description={t('setup.RegistrationHow')}
          checked={isOpen}
          onChange={(event) => setIsOpen(event.currentTarget.checked)}
        />
        <Button type="submit" h={40} loading={isPending}>
          {t('setup.Create')}
        </Button>
      </form>
    </AuthLayout>
  )
}

/** What stands against the values, by field, before the panel is asked. */
function problemsOf(t: TFunction, values: Values): Problems {
  const missing = (field: Field) => ({
    [field]: t('errors.ErrFieldRequired', { field: t(`setup.${field}`) }),
  })
  return {
    ...(values.code.trim() === '' ? missing('code') : {}),
    ...(Username.safeParse(values.username).success ? {} : { username: t('errors.ErrUsernameRequirements') }),
    ...(Email.safeParse(values.email.trim()).success
      ? {}
      : { email: t('errors.ErrFieldNotEmail', { field: t('setup.email') }) }),
    ...(values.password.length >= limits.passwordMin ? {} : { password: t('errors.ErrPasswordRequirements') }),
    ...(values.password === values.repeated ? {} : { repeated: t('errors.ErrPasswordsNotIdentical') }),
  }
}
