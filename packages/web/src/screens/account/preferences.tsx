import { Select } from '@mantine/core'
import { type ColorScheme, colorSchemes, useColorSchemePreference } from '../../features/appearance/color-scheme.tsx'
import { useThemes } from '../../features/appearance/use-themes.ts'
import { maxFontSize, minFontSize, useConsolePreferences } from '../../features/console/preferences.ts'
import { useLanguage } from '../../features/language/use-language.ts'
import { useT } from '../../i18n/i18n.tsx'
import { languageName, locales } from '../../i18n/locale.ts'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { usePreference } from '../../session/preferences.tsx'
import { AccountSection } from './account-section.tsx'
import { FormGrid } from './form-grid.tsx'

/** In pixels. */
const fontSizes = Array.from({ length: maxFontSize - minFontSize + 1 }, (_, index) => minFontSize + index)
const shortcutModes = ['all', 'modifier', 'off'] as const

export function AppearanceSection() {
  const t = useT()
  const { scheme, setScheme } = useColorSchemePreference()
  const { available, current, setPreferred } = useThemes()
  const { locale, setLanguage } = useLanguage()
  const { number } = useFormatters()
  const { preferences, change } = useConsolePreferences(false)
  return (
    <AccountSection id="appearance" title={t('shell.Appearance')}>
      <FormGrid>
        <Select
          label={t('account.Scheme')}
          value={scheme}
          data={colorSchemes.map((value) => ({ value, label: t(`account.Scheme_${value}`) }))}
          onChange={(value) => setScheme(value as ColorScheme)}
        />
        {available.length > 1 && (
          <Select
            label={t('shell.Theme')}
            value={current ?? null}
            data={[...available]}
            onChange={(value) => value && setPreferred(value)}
          />
        )}
        <Select
          label={t('account.ConsoleText')}
          value={String(preferences.fontSize)}
          data={fontSizes.map((size) => ({ value: String(size), label: t('account.Pixels', { size: number(size) }) }))}
          onChange={(value) => change({ fontSize: Number(value) })}
        />
        <Select
          label={t('language.Title')}
          value={locale}
          data={locales.map((value) => ({ value, label: languageName(value) }))}
          onChange={(value) => {
            if (value) void setLanguage(value)
          }}
        />
      </FormGrid>
    </AccountSection>
  )
}

export function ShortcutsSection() {
  const t = useT()
  const [shortcuts, setShortcuts] = usePreference('shortcuts')
  return (
    <AccountSection id="shortcuts" title={t('account.Shortcuts')}>
      <FormGrid>
        <Select
          label={t('common.KeyboardShortcuts')}
          description={t('hotkeys.Note')}
          value={shortcutModes.find((mode) => mode === shortcuts) ?? 'all'}
          data={shortcutModes.map((value) => ({ value, label: t(`account.Shortcuts_${value}`) }))}
          onChange={(value) => setShortcuts(value ?? 'all')}
        />
      </FormGrid>
    </AccountSection>
  )
}
