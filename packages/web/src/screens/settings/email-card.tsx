import { listMail } from '@innkeeper/contract/mail'
import {
  type EmailProvider,
  emailFields,
  emailProviders,
  type SettingKey,
  sendTestMail,
} from '@innkeeper/contract/settings'
import { Button, SegmentedControl } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/alert.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { fieldsOf, heldOf, missingIn, providerIn, reasonOf, withProvider } from './draft.ts'
import { SettingField } from './setting-field.tsx'
import { SettingsCard } from './settings-card.tsx'
import classes from './settings-screen.module.css'
import { type SavedSettings, useSettingsForm } from './use-settings-form.ts'

interface FieldTexts {
  readonly label: string
  readonly help?: string
  readonly placeholder?: string
}

/** What each field is called; Mailgun and Mailjet mean different things by the same keys. */
const labels: Readonly<Record<string, string>> = {
  'panel.email.provider': 'settings.Provider',
  'panel.email.from': 'settings.From',
  'panel.email.host': 'settings.Host',
  'panel.email.username': 'settings.Username',
  'panel.email.password': 'settings.Password',
  'mailgun panel.email.domain': 'settings.Domain',
  'mailgun panel.email.key': 'settings.ApiKey',
  'mailjet panel.email.domain': 'settings.PublicKey',
  'mailjet panel.email.key': 'settings.PrivateKey',
}
const providerNames: Readonly<Record<EmailProvider, string>> = {
  none: 'settings.ProviderNone',
  smtp: 'settings.ProviderSmtp',
  mailgun: 'settings.ProviderMailgun',
  mailjet: 'settings.ProviderMailjet',
}

const keys: readonly SettingKey[] = [
  'panel.email.provider',
  ...new Set(emailProviders.flatMap((provider) => fieldsOf(provider))),
]

/** How the panel sends mail, and whether that works. */
export function EmailCard({ id, saved }: { id: string; saved: SavedSettings }) {
  const t = useT()
  const label = useId()
  const labelIn = (provider: EmailProvider, key: SettingKey) =>
    t(labels[`${provider} ${key}`] ?? labels[key] ?? 'settings.Provider')
  const { held } = saved
  const state = useSettingsForm({
    id,
    saved,
    keys,
    labelOf: (key, draft) => labelIn(providerIn(held, draft), key),
    missing: (draft) => missingIn(held, draft),
  })
  const provider = providerIn(held, state.draft)
  const chosen = heldOf(held, 'panel.email.provider')
  const { isFixed } = chosen
  const words = wordsOf(provider, (key) => labelIn(provider, key), t)

  return (
    <SettingsCard
      id={id}
      title={t('settings.Email')}
      form={state.form}
      actions={provider === 'none' ? undefined : <TestMail isDirty={state.form.isDirty} save={state.form.save} />}
    >
      <div className={classes.fields}>
        <div className={classes.wide}>
          <div id={label} className={classes.label}>
            {t('settings.Provider')}
          </div>
          <SegmentedControl
            aria-labelledby={label}
            className={classes.providers ?? ''}
            readOnly={isFixed}
            withItemsBorders={false}
            value={provider}
            data={emailProviders.map((value) => ({ value, label: t(providerNames[value]) }))}
            onChange={(value) => state.replace(withProvider(held, state.draft, value as EmailProvider))}
          />
          <p className={classes.help}>
            {isFixed ? t(reasonOf(chosen)) : provider === 'none' ? t('settings.ProviderNoneHelp') : ''}
          </p>
        </div>
        {fieldsOf(provider).map((key) => (
          <SettingField
            key={`${provider} ${key}`}
            setting={key}
            held={held}
            state={state}
            isOptional={emailFields[provider].optional.includes(key)}
            isCode={key === 'panel.email.host' || key === 'panel.email.domain'}
            type={key === 'panel.email.from' ? 'email' : 'text'}
            {...words(key)}
          />
        ))}
      </div>
    </SettingsCard>
  )
}

function wordsOf(
  provider: EmailProvider,
  labelOf: (key: SettingKey) => string,
  text: ReturnType<typeof useT>,
): (key: SettingKey) => FieldTexts {
  return (key) => {
    const isOptional = emailFields[provider].optional.includes(key)
    const label = isOptional ? text('settings.Optional', { field: labelOf(key) }) : labelOf(key)
    if (key === 'panel.email.from') return { label, help: text('settings.FromHelp') }
    if (key === 'panel.email.host')
      return { label, help: text('settings.HostHelp'), placeholder: text('settings.HostSample') }
    if (key === 'panel.email.domain' && provider === 'mailgun')
      return { label, placeholder: text('settings.DomainSample') }
    return { label }
  }
}

/** Sends one mail to the person who asks and shows what the provider said. It goes by what is saved. */
function TestMail({ isDirty, save }: { isDirty: boolean; save: () => Promise<boolean> }) {
  const t = useT()
  const { self } = useSession()
  const { mutateAsync, isPending } = useApiMutation(sendTestMail, { invalidates: [listMail] })
  const [answer, setAnswer] = useState<{ readonly delivered: boolean; readonly answer: string }>()

  const test = async () => {
    setAnswer(undefined)
    if (isDirty && !(await save())) return
    try {
      setAnswer(await mutateAsync({ body: {} }))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <>
      {answer && (
        <div className={classes.answer}>
          <Alert type={answer.delivered ? 'success' : 'error'}>
            <b>
              {answer.delivered ? t('settings.TestDelivered', { email: self?.email ?? '' }) : t('settings.TestFailed')}
            </b>
            <CodeText className={classes.words ?? ''}>{answer.answer}</CodeText>
          </Alert>
        </div>
      )}
      <Button
        variant="subtle"
        color="gray"
        loading={isPending}
        leftSection={<IconSend size={16} aria-hidden data-flip />}
        onClick={() => void test()}
      >
        {t(isDirty ? 'settings.SaveAndTest' : 'settings.Test')}
      </Button>
    </>
  )
}
