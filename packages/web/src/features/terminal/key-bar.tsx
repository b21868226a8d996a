import { Button, Group } from '@mantine/core'
import { IconArrowDown, IconArrowLeft, IconArrowRight, IconArrowUp, IconClipboard } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './terminal.module.css'
import type { SpecialKey } from './terminal-session.ts'

/** Keys that the keyboard of a phone does not have. */
export function KeyBar({ onKey, onPaste }: { onKey: (key: SpecialKey) => void; onPaste: (text: string) => void }) {
  const t = useT()
  const keys: readonly { key: SpecialKey; label?: string; face: ReactNode }[] = [
    { key: 'escape', face: t('keys.Esc') },
    { key: 'tab', label: t('console.KeyTab'), face: 'Tab' },
    { key: 'interrupt', label: t('console.KeyInterrupt'), face: '^C' },
    { key: 'left', label: t('console.KeyLeft'), face: <IconArrowLeft size={18} aria-hidden /> },
    { key: 'up', label: t('console.KeyUp'), face: <IconArrowUp size={18} aria-hidden /> },
    { key: 'down', label: t('console.KeyDown'), face: <IconArrowDown size={18} aria-hidden /> },
    { key: 'right', label: t('console.KeyRight'), face: <IconArrowRight size={18} aria-hidden /> },
  ]
  // Browsers offer the clipboard to pages with a secure connection only.
  const clipboard = navigator.clipboard as Clipboard | undefined
  return (
    <Group className={classes.keys} role="group" aria-label={t('console.Keys')} dir="ltr">
      {keys.map(({ key, label, face }) => (
        <Button key={key} variant="default" size="xs" aria-label={label} onClick={() => onKey(key)}>
          {face}
        </Button>
      ))}
      {clipboard && (
        <Button
          variant="default"
          size="xs"
          aria-label={t('console.Paste')}
          // Rejected when the user does not allow it.
          onClick={() => void clipboard.readText().then(onPaste, () => undefined)}
        >
          <IconClipboard size={18} aria-hidden />
        </Button>
      )}
    </Group>
  )
}
