import { Button } from '@mantine/core'
import { IconDeviceFloppy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { useIsPhone } from '../ui/page.tsx'
import { Shortcut } from '../ui/shortcut.tsx'
import classes from './forms.module.css'
import type { FormState } from './use-save-form.ts'

interface SaveBarProps {
  readonly form: Pick<FormState, 'edited' | 'isDirty' | 'isSaving' | 'discard'> & {
    readonly save: () => Promise<unknown>
  }
  /** What is unsaved, in words of its own. */
  readonly message?: string
  readonly canSave?: boolean
  /** What its Save button says. */
  readonly action?: string
  /** At the end of a card among others, not of the window. */
  readonly isInline?: boolean
  /** Buttons at its start; with them the bar is always there. */
  readonly children?: ReactNode
}

/** Says how much is unsaved, and saves or discards it. It sticks to the end of the window. */
export function SaveBar({ form, message, canSave = true, action, isInline = false, children }: SaveBarProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const { edited, isDirty, isSaving, save, discard } = form
  if (!isDirty && !children) return null
  const status = message ?? t('common.UnsavedChanges', { count: edited.length })
  return (
    <section className={isInline ? classes.inlineBar : classes.stickyBar} aria-label={t('forms.SaveBar')}>
      {children}
      <span role="status" className={classes.status}>
        {isDirty && status}
      </span>
      {isDirty && (
        <span className={classes.actions}>
          <Button variant="subtle" color="gray" onClick={discard} disabled={isSaving}>
            {t('common.Discard')}
          </Button>
          <Button
            onClick={() => void save()}
            loading={isSaving}
            disabled={!canSave}
            leftSection={<IconDeviceFloppy size={17} aria-hidden />}
            rightSection={
              !isPhone && (
                <span className={classes.keys} aria-hidden="true">
                  <Shortcut keys="Mod S" />
                </span>
              )
            }
          >
            {action ?? t('common.Save')}
          </Button>
        </span>
      )}
    </section>
  )
}
