import {
  type DnsProviderName,
  dnsFields,
  dnsProviders,
  type SettingKey,
  secretSettings,
} from '@innkeeper/contract/settings/settings'
import { Input, SegmentedControl } from '@mantine/core'
import { useId } from 'react'
import { type TFunction, type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { SettingField } from './setting-field.tsx'
import { getSetting, getText, type PanelSettingsDraft, readOnlyReason, type SavedSettings } from './setting-values.ts'
import { SettingGrid, SettingsCard } from './settings-card.tsx'
import { type LoadedSettings, useSettingsForm } from './use-settings-form.ts'

const providerNames: Readonly<Record<DnsProviderName, TranslationKey>> = {
  none: 'settings.DnsNone',
  rfc2136: 'settings.DnsRfc2136',
  powerdns: 'settings.DnsPowerDns',
}
const labels: Readonly<Record<string, TranslationKey>> = {
  'panel.dns.zone': 'settings.DnsZone',
  'panel.dns.server': 'settings.DnsServer',
  'panel.dns.url': 'settings.DnsUrl',
  'panel.dns.keyName': 'settings.DnsKeyName',
  'panel.dns.key': 'settings.DnsKey',
  'powerdns panel.dns.key': 'settings.DnsApiKey',
}
const help: Readonly<Record<string, TranslationKey>> = {
  'panel.dns.zone': 'settings.DnsZoneHelp',
  'panel.dns.server': 'settings.DnsServerHelp',
  'panel.dns.url': 'settings.DnsUrlHelp',
}

const keys: readonly SettingKey[] = ['panel.dns.provider', ...new Set(dnsProviders.flatMap((name) => dnsFields[name]))]

/** Where the panel writes the names of servers. */
export function DnsCard({ id, loaded }: { id: string; loaded: LoadedSettings }) {
  const t = useT()
  const labelId = useId()
  const state = useSettingsForm({
    id,
    loaded,
    keys,
    getLabel: (key, draft) => getLabel(t, getDnsProvider(loaded.settings, draft), key),
    getMissing: (draft) => getMissing(loaded.settings, draft),
  })
  const { form, settings, draft, change } = state
  const provider = getDnsProvider(settings, draft)
  const reason = readOnlyReason(settings, 'panel.dns.provider')
  const description = reason ?? (provider === 'none' ? 'settings.DnsNoneHelp' : 'settings.DnsAbout')
  return (
    <SettingsCard id={id} title={t('settings.Dns')} form={form}>
      <Input.Wrapper
        label={t('settings.Provider')}
        labelElement="div"
        labelProps={{ id: labelId, display: 'block' }}
        description={t(description)}
        descriptionProps={{ mt: '0.3125rem' }}
      >
        <SegmentedControl
          aria-labelledby={labelId}
          maw="100%"
          readOnly={reason !== undefined}
          withItemsBorders={false}
          value={provider}
          data={dnsProviders.map((value) => ({ value, label: t(providerNames[value]) }))}
          onChange={(value) => change('panel.dns.provider', value)}
        />
      </Input.Wrapper>
      {provider !== 'none' && (
        <SettingGrid>
          {dnsFields[provider].map((key) => {
            const text = key === 'panel.dns.key' && provider === 'rfc2136' ? 'settings.DnsKeyHelp' : help[key]
            return (
              <SettingField
                key={`${provider} ${key}`}
                setting={key}
                state={state}
                isCode
                label={getLabel(t, provider, key)}
                {...(text && { description: t(text) })}
                {...(key === 'panel.dns.zone' && { placeholder: t('settings.DnsZoneSample') })}
              />
            )
          })}
        </SettingGrid>
      )}
    </SettingsCard>
  )
}

function getLabel(t: TFunction, provider: DnsProviderName, key: SettingKey): string {
  return t(labels[`${provider} ${key}`] ?? labels[key] ?? 'settings.Provider')
}

const getDnsProvider = (settings: SavedSettings, draft: PanelSettingsDraft): DnsProviderName =>
  dnsProviders.find((name) => name === getText(settings, draft, 'panel.dns.provider')) ?? 'none'

/** The required fields of the provider that are empty. The keys of two providers are never the same. */
function getMissing(settings: SavedSettings, draft: PanelSettingsDraft): readonly SettingKey[] {
  const provider = getDnsProvider(settings, draft)
  const isOther = provider !== getDnsProvider(settings, {})
  return dnsFields[provider].filter((key) => {
    if (!secretSettings.includes(key)) return getText(settings, draft, key).trim() === ''
    if (draft[key] !== undefined) return draft[key] === ''
    return !getSetting(settings, key).isSet || isOther
  })
}
