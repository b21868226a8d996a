import { listMail } from '@innkeeper/contract/alerts/mail'
import {
  type EmailProvider,
  emailFields,
  emailProviders,
  type SettingKey,
  sendTestMail,
} from '@innkeeper/contract/settings/settings'
import { Box, Button, Input, SegmentedControl, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { type TFunction, type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { SettingField } from './setting-field.tsx'
import { getMissingFields, getProvider, getProviderFields, readOnlyReason, setProvider } from './setting-values.ts'
import { SettingGrid, SettingsCard } from './settings-card.tsx'
import { type LoadedSettings, useSettingsForm } from './use-settings-form.ts'

/** Text keys of the labels. Mailgun and Mailjet use the same settings for different things. */
const labels: Readonly<Record<string, TranslationKey>> = {
  'panel.email.provider': 'settings.Provider',
  'panel.email.from': 'settings.From',
  'panel.email.host': 'settings.Host',
  'panel.email.username': 'common.Username',
  'panel.email.password': 'common.Password',
  'mailgun panel.email.domain': 'settings.Domain',
  'mailgun panel.email.key': 'settings.ApiKey',
  'mailjet panel.email.domain': 'common.PublicKey',
  'mailjet panel.email.key': 'settings.PrivateKey',
}
const providerNames: Readonly<Record<EmailProvider, TranslationKey>> = {
  none: 'settings.ProviderNone',
  smtp: 'settings.ProviderSmtp',
  mailgun: 'settings.ProviderMailgun',
  mailjet: 'settings.ProviderMailjet',
}

const keys: readonly SettingKey[] = ['panel.email.provider', ...new Set(emailProviders.flatMap(getProviderFields))]

/** How the panel sends email. */
export function EmailCard({ id, loaded }: { id: string; loaded: LoadedSettings }) {
  const t = useT()
  const labelId = useId()
  const state = useSettingsForm({
    id,
    loaded,
    keys,
    getLabel: (key, draft) => getLabel(t, getProvider(loaded.settings, draft), key),
    getMissing: (draft) => getMissingFields(loaded.settings, draft),
  })
  const { form, settings, draft, replaceDraft } = state
  const provider = getProvider(settings, draft)
  const reason = readOnlyReason(settings, 'panel.email.provider')
  const description = reason ?? (provider === 'none' ? 'settings.ProviderNoneHelp' : undefined)

  return (
    <SettingsCard
      id={id}
      title={t('common.Email')}
      form={form}
      actions={provider === 'none' ? undefined : <TestEmail isDirty={form.isDirty} save={form.save} />}
    >
      <Input.Wrapper
        label={t('settings.Provider')}
        labelElement="div"
        labelProps={{ id: labelId, display: 'block' }}
        description={description && t(description)}
        descriptionProps={{ mt: '0.3125rem' }}
      >
        <SegmentedControl
          aria-labelledby={labelId}
          maw="100%"
          readOnly={reason !== undefined}
          withItemsBorders={false}
          value={provider}
          data={emailProviders.map((value) => ({ value, label: t(providerNames[value]) }))}
          onChange={(value) => replaceDraft(setProvider(settings, draft, value))}
        />
      </Input.Wrapper>
      {provider !== 'none' && (
        <SettingGrid>
          {getProviderFields(provider).map((key) => {
            const isOptional = emailFields[provider].optional.includes(key)
            const field = getLabel(t, provider, key)
            return (
              <SettingField
                key={`${provider} ${key}`}
                setting={key}
                state={state}
                isOptional={isOptional}
                isCode={key === 'panel.email.host' || key === 'panel.email.domain'}
                type={key === 'panel.email.from' ? 'email' : 'text'}
                label={isOptional ? t('settings.Optional', { field }) : field}
                {...getHelp(t, provider, key)}
              />
            )
          })}
        </SettingGrid>
      )}
    </SettingsCard>
  )
}

function getLabel(t: TFunction, provider: EmailProvider, key: SettingKey): string {
  return t(labels[`${provider} ${key}`] ?? labels[key] ?? 'settings.Provider')
}

function getHelp(t: TFunction, provider: EmailProvider, key: SettingKey) {
  if (key === 'panel.email.from') return { description: t('settings.FromHelp') }
  if (key === 'panel.email.host') return { description: t('settings.HostHelp'), placeholder: t('settings.HostSample') }
  if (key === 'panel.email.domain' && provider === 'mailgun') return { placeholder: t('settings.DomainSample') }
  return {}
}

/** Sends an email to the signed-in user with the saved settings, and shows the provider's response. */
function TestEmail({ isDirty, save }: { isDirty: boolean; save: () => Promise<boolean> }) {
  const t = useT()
  const { self } = useSession()
  const [result, setResult] = useState<{ readonly delivered: boolean; readonly answer: string }>()
  const { mutate, isPending } = useApiMutation(sendTestMail, { invalidates: [listMail], onSuccess: setResult })

  const sendTest = async () => {
    setResult(undefined)
    if (!isDirty || (await save())) await mutate({ body: {} })
  }
  return (
    <>
      {result && (
        <Box flex="1 0 100%">
          <Alert type={result.delivered ? 'success' : 'error'} role={result.delivered ? 'status' : 'alert'}>
            <Text inherit fw={500}>
              {result.delivered ? t('settings.TestDelivered', { email: self?.email ?? '' }) : t('settings.TestFailed')}
            </Text>
            <Text inherit style={{ whiteSpace: 'pre-wrap' }}>
              <CodeText>{result.answer}</CodeText>
            </Text>
          </Alert>
        </Box>
      )}
      <Button
        variant="default"
        loading={isPending}
        leftSection={<IconSend size={16} aria-hidden data-flip />}
        onClick={() => void sendTest()}
      >
        {t(isDirty ? 'settings.SaveAndTest' : 'settings.Test')}
      </Button>
    </>
  )
}
