import { limits } from '@innkeeper/contract/limits'
import { ActionIcon } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconEye } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type TFunction, useT } from '../i18n/i18n.tsx'
import { hasCommandKey } from './platform.ts'
import classes from './small.module.css'

/** One key cap. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className={classes.kbd}>{children}</kbd>
}

/** The names of keys that are not letters; `Mod` is ⌘ on Apple's keyboards and Ctrl on others. */
const keyNames: Readonly<Record<string, string>> = {
  Mod: 'keys.Ctrl',
  Esc: 'keys.Esc',
  Enter: 'keys.Enter',
  Space: 'keys.Space',
}

/** What stands on a key, in the person's language. */
export function keyName(t: TFunction, key: string): string {
  if (key === 'Mod' && hasCommandKey()) return '⌘'
  const name = keyNames[key]
  return name ? t(name) : key.length === 1 ? key.toUpperCase() : key
}

/** The caps of a sequence or combination: `g s`, `Mod K`. */
export function Shortcut({ keys }: { keys: string }) {
  const t = useT()
  return (
    <span className={classes.keys} dir="ltr">
      {keys.split(' ').map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key may repeat, and its place is what it is
        <Kbd key={`${index}${key}`}>{keyName(t, key)}</Kbd>
      ))}
    </span>
  )
}

/** Addresses, paths and codes: fixed width, left to right in every language. */
export function Mono({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <span className={`${classes.mono} ${className}`} dir="ltr">
      {children}
    </span>
  )
}

export function Badge({ children, square = false }: { children: ReactNode; square?: boolean }) {
  return <span className={`${classes.badge} ${square ? classes.tag : ''}`}>{children}</span>
}

export function Card({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={`${classes.card} ${className}`}>{children}</div>
}

/** Says that a person may look but not change, and on focus which right would be needed. */
export function ReadOnlyBadge({ right: permission }: { right: string }) {
  const t = useT()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
    <span className={classes.badge} tabIndex={0} data-tip={permission}>
      <IconEye size={13} aria-hidden />
      {t('common.ViewOnly')}
    </span>
  )
}

/** Copies a value; says "Copied" for a while. */
export function CopyButton({ value, label, size = 28 }: { value: string; label: string; size?: number }) {
  const t = useT()
  const { copied, copy } = useClipboard({ timeout: limits.copiedMs })
  const name = copied ? t('common.Copied') : label
  return (
    <ActionIcon size={size} aria-label={name} data-tip={name} onClick={() => copy(value)}>
      {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
    </ActionIcon>
  )
}
