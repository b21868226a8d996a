import { limits } from '@innkeeper/contract/limits'
import { ActionIcon, Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconEye } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useText } from '../i18n/text.tsx'
import classes from './small.module.css'

/** One key cap. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className={classes.kbd}>{children}</kbd>
}

/** The caps of a sequence or combination: `g s`, `Ctrl K`. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className={classes.keys} dir="ltr">
      {keys.split(' ').map((key, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key may repeat, and its place is what it is
        <Kbd key={`${at}${key}`}>{key.length === 1 ? key.toUpperCase() : key}</Kbd>
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
export function ViewOnlyBadge({ right }: { right: string }) {
  const text = useText()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
    <span className={classes.badge} tabIndex={0} data-tip={right}>
      <IconEye size={13} aria-hidden />
      {text('common.ViewOnly')}
    </span>
  )
}

/** Copies a value; says "Copied" for a while. */
export function CopyButton({ value, label, size = 28 }: { value: string; label: string; size?: number }) {
  const text = useText()
  const { copied, copy } = useClipboard({ timeout: limits.copiedMs })
  const name = copied ? text('common.Copied') : label
  return (
    <ActionIcon size={size} aria-label={name} data-tip={name} onClick={() => copy(value)}>
      {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
    </ActionIcon>
  )
}

interface ChangesBarProps {
  readonly label: string
  /** What was changed. */
  readonly said: string
  readonly action: ReactNode
  readonly icon?: ReactNode
  readonly isSaving: boolean
  readonly canSave?: boolean
  readonly onDiscard: () => void
  readonly onSave: () => void
}

/** Sticks to the end of what has unsaved changes. */
export function ChangesBar({ label, said, action, icon, isSaving, canSave = true, ...does }: ChangesBarProps) {
  const text = useText()
  return (
    <section className={classes.saveBar} aria-label={label}>
      <span role="status">{said}</span>
      <Button variant="subtle" color="gray" onClick={does.onDiscard} disabled={isSaving}>
        {text('common.Discard')}
      </Button>
      <Button onClick={does.onSave} loading={isSaving} disabled={!canSave} leftSection={icon}>
        {action}
      </Button>
    </section>
  )
}

interface SaveBarProps {
  /** How many fields differ; the bar shows from one on. */
  readonly changes: number
  readonly saving?: boolean
  readonly onDiscard: () => void
  readonly onSave: () => void
}

/** The bar of a form. */
export function SaveBar({ changes, saving = false, ...does }: SaveBarProps) {
  const text = useText()
  if (changes === 0) return null
  const said = text('common.UnsavedChanges', { count: changes })
  return <ChangesBar label={said} said={said} action={text('common.Save')} isSaving={saving} {...does} />
}
