import { Box, Select } from '@mantine/core'
import { useThemes } from '../../../features/appearance/theme-button.tsx'
import { useT } from '../../../i18n/i18n.tsx'
import { getText, readOnlyReason } from '../setting-values.ts'
import { SettingGrid, SettingsCard } from '../settings-card.tsx'
import { type LoadedSettings, useSettingsForm } from '../use-settings-form.ts'
import { ThemeList } from './theme-list.tsx'

const key = 'panel.settings.defaultTheme'

interface ThemeCardProps {
  readonly id: string
  readonly loaded: LoadedSettings
  /** Administrators add and remove themes. */
  readonly canManage: boolean
}

/** The default theme of the panel, and all themes. */
export function ThemeCard({ id, loaded, canManage }: ThemeCardProps) {
  const t = useT()
  const { available } = useThemes()
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
          description={reason ? t(reason) : t('settings.DefaultThemeHelp')}
          error={form.errors[key]}
          readOnly={reason !== undefined}
          data={[...available]}
          value={getText(settings, draft, key) || (available[0] ?? null)}
          onChange={(theme) => change(key, theme ?? '')}
        />
      </SettingGrid>
      {canManage && (
        <Box mx="calc(var(--mantine-spacing-md) * -1)" mb="calc(var(--mantine-spacing-md) * -1)">
          <ThemeList />
        </Box>
      )}
    </SettingsCard>
  )
}
