import { type SettingKey, secondFactorGroups } from '@innkeeper/contract/settings/settings'
import { Select, TextInput } from '@mantine/core'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { DocsLink } from '../../ui/layout/docs-link.tsx'
import { getText, getValue, readOnlyReason } from './setting-values.ts'
import { SettingGrid, SettingsCard } from './settings-card.tsx'
import { type LoadedSettings, useSettingsForm } from './use-settings-form.ts'

const required = 'panel.secondFactor.required'
const from = 'panel.secondFactor.from'
const labels: Readonly<Partial<Record<SettingKey, TranslationKey>>> = {
  [required]: 'settings.SecondFactor',
  [from]: 'settings.SecondFactorFrom',
}

/** Who must have a second factor, and from when. */
export function SignInCard({ id, loaded }: { id: string; loaded: LoadedSettings }) {
  const t = useT()
  const getLabel = (key: SettingKey) => {
    const label = labels[key]
    return label ? t(label) : key
  }
  const { form, settings, draft, change } = useSettingsForm({ id, loaded, keys: [required, from], getLabel })
  const reason = readOnlyReason(settings, required)
  const isOff = getValue(settings, draft, required) === 'nobody'
  return (
    <SettingsCard id={id} title={t('settings.SignIn')} form={form}>
      <SettingGrid>
        <Select
          data-path={required}
          label={getLabel(required)}
          description={
            reason ? (
              t(reason)
            ) : (
              <>
                {t('settings.SecondFactorHelp')}{' '}
                <DocsLink to="accounts#my-admins-must-use-two-factors">{t('settings.SecondFactorDocs')}</DocsLink>
              </>
            )
          }
          disabled={reason !== undefined}
          allowDeselect={false}
          data={secondFactorGroups.map((value) => ({ value, label: t(`settings.SecondFactor_${value}`) }))}
          value={getText(settings, draft, required)}
          onChange={(value) => value && change(required, value)}
        />
        <TextInput
          data-path={from}
          type="date"
          label={getLabel(from)}
          description={t('settings.SecondFactorFromHelp')}
          error={form.errors[from]}
          disabled={reason !== undefined || isOff}
          value={getText(settings, draft, from)}
          onChange={(event) => change(from, event.currentTarget.value)}
        />
      </SettingGrid>
    </SettingsCard>
  )
}
