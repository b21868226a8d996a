import { Select } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { heldOf, textIn } from './draft.ts'
import { SettingsCard } from './settings-card.tsx'
import classes from './settings-screen.module.css'
import { type SavedSettings, useSettingsForm } from './use-settings-form.ts'

const key = 'panel.settings.defaultTheme'

interface ThemeCardProps {
  readonly id: string
  readonly saved: SavedSettings
  readonly available: readonly string[]
}

/** The theme of everybody who has not chosen one. */
export function ThemeCard({ id, saved, available }: ThemeCardProps) {
  const t = useT()
  const { held } = saved
  const { form, draft, change } = useSettingsForm({
    id,
    saved,
    keys: [key],
    labelOf: () => t('settings.DefaultTheme'),
  })
  const { isFixed } = heldOf(held, key)
  return (
    <SettingsCard id={id} title={t('settings.Theme')} note={t('settings.ThemeNote')} form={form}>
      <div className={classes.fields}>
        <Select
          data-path={key}
          label={t('settings.DefaultTheme')}
          description={isFixed ? t('settings.Fixed') : undefined}
          error={form.errors[key]}
          readOnly={isFixed}
          data={[...available]}
          value={textIn(held, draft, key) || (available[0] ?? null)}
          onChange={(theme) => change(key, theme ?? '')}
        />
      </div>
    </SettingsCard>
  )
}
