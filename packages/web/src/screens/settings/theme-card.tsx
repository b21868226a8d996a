import { Select } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { getText, readOnlyReason } from './setting-values.ts'
import { SettingGrid, SettingsCard } from './settings-card.tsx'
import { type LoadedSettings, useSettingsForm } from './use-settings-form.ts'

const key = 'panel.settings.defaultTheme'

interface ThemeCardProps {
  readonly id: string
  readonly loaded: LoadedSettings
  readonly themes: readonly string[]
}

/** The default theme of the panel. */
export function ThemeCard({ id, loaded, themes }: ThemeCardProps) {
  const t = useT()
  const { form, settings, draft, change } = useSettingsForm({
    id,
    loaded,
    keys: [key],
    getLabel: () => t('settings.DefaultTheme'),
  })
  const reason = readOnlyReason(settings, key)
  return (
    <SettingsCard id={id} title={t('settings.Theme')} note={t('settings.ThemeNote')} form={form}>
      <SettingGrid>
        <Select
          data-path={key}
          label={t('settings.DefaultTheme')}
          description={reason && t(reason)}
          error={form.errors[key]}
          readOnly={reason !== undefined}
          data={[...themes]}
          value={getText(settings, draft, key) || (themes[0] ?? null)}
          onChange={(theme) => change(key, theme ?? '')}
        />
      </SettingGrid>
    </SettingsCard>
  )
}
