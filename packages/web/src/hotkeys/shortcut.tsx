import { Group, Kbd } from '@mantine/core'
import { type TFunction, type TranslationKey, useT } from '../i18n/i18n.tsx'
import { hasCommandKey } from './platform.ts'

/** The names of keys that are not letters; `Mod` is ⌘ on Apple's keyboards and Ctrl on others. */
const keyNames: Readonly<Record<string, TranslationKey>> = {
  Mod: 'keys.Ctrl',
  Esc: 'keys.Esc',
  Enter: 'keys.Enter',
  Space: 'keys.Space',
}

/** The label of a key, in the user's language. */
export function keyName(t: TFunction, key: string): string {
  if (key === 'Mod' && hasCommandKey()) return '⌘'
  const name = keyNames[key]
  return name ? t(name) : key.length === 1 ? key.toUpperCase() : key
}

/** The keys of a sequence or combination: `g s`, `Mod K`. */
export function Shortcut({ keys }: { keys: string }) {
  const t = useT()
  return (
    <Group component="span" gap="2xs" display="inline-flex" wrap="nowrap" dir="ltr">
      {keys.split(' ').map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key may repeat, and its place is what it is
        <Kbd key={`${index}${key}`}>{keyName(t, key)}</Kbd>
      ))}
    </Group>
  )
}
