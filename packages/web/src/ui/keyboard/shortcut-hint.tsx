import { Group } from '@mantine/core'
import { Trans } from 'react-i18next'
import { Shortcut } from '../../hotkeys/shortcut.tsx'

/** A shortcut and what it does. `text` is a key of the catalog with the placeholder `<keys/>`. */
export function ShortcutHint({ text, keys }: { text: string; keys: string }) {
  return (
    <Group component="span" gap="xs" wrap="nowrap">
      <Trans i18nKey={text} components={{ keys: <Shortcut keys={keys} /> }} />
    </Group>
  )
}
