import { Select } from '@mantine/core'
import { useText } from '../../i18n/text.tsx'
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
  const text = useText()
  const { held } = saved
  const { form, draft, change } = useSettingsForm({
    id,
    saved,
    keys: [key],
    labelOf: () => text('settings.DefaultTheme'),
  })
  const { isFixed } = heldOf(held, key)
  return (
    <SettingsCard id={id} title={text('settings.Theme')} note={text('settings.ThemeNote')} form={form}>
      <div className={classes.fields}>
        <Select
          data-path={key}
          label={text('settings.DefaultTheme')}
          description={isFixed ? text('settings.Fixed') : undefined}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
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
