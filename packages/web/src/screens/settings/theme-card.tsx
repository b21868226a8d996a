import { Select } from '@mantine/core'
import { useText } from '../../i18n/text.tsx'
import { type Held, heldOf, textIn } from './draft.ts'
import { SettingsCard } from './settings-card.tsx'
import classes from './settings-screen.module.css'
import { useCard } from './use-card.ts'

const key = 'panel.settings.defaultTheme'

/** The theme of everybody who has not chosen one. */
export function ThemeCard({ id, held, available }: { id: string; held: Held; available: readonly string[] }) {
  const text = useText()
  const state = useCard({ held, keys: [key], labelOf: () => text('settings.DefaultTheme') })
  const { isFixed } = heldOf(held, key)
  return (
    <SettingsCard id={id} title={text('settings.Theme')} note={text('settings.ThemeNote')} state={state}>
      <div className={classes.fields}>
        <Select
          name={key}
          label={text('settings.DefaultTheme')}
          description={isFixed ? text('settings.Fixed') : undefined}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          error={state.objections[key]}
          readOnly={isFixed}
          data={[...available]}
          value={textIn(held, state.draft, key) || (available[0] ?? null)}
          onChange={(theme) => state.change(key, theme ?? '')}
        />
      </div>
    </SettingsCard>
  )
}
