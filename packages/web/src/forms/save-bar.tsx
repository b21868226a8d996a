import { Button, Group, Paper, Text } from '@mantine/core'
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
  /** Replaces the number of unsaved changes. */
  readonly message?: string
  readonly canSave?: boolean
  /** Label of the Save button. */
  readonly action?: string
  /** At the end of a card instead of the window. */
  readonly isInline?: boolean
  /** Buttons at its start. With them the bar is always shown. */
  readonly children?: ReactNode
}

/** Shows how much is unsaved, and saves or discards it. While there are changes it sticks to the end of the window. */
export function SaveBar({ form, message, canSave = true, action, isInline = false, children }: SaveBarProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const { edited, isDirty, isSaving, save, discard } = form
  if (!isDirty && !children) return null
  return (
    <Paper
      component="section"
      aria-label={t('common.UnsavedChangesTitle')}
      className={isInline ? classes.inlineBar : classes.stickyBar}
      data-sticky={isDirty || undefined}
      px="md"
      py="sm"
      {...(isInline ? { radius: 0 } : { shadow: 'md' })}
    >
      <Group gap="xs">
        {children}
        <Text component="span" role="status" variant="note" flex="1 1 12rem" className={classes.status}>
          {isDirty && (message ?? t('common.UnsavedChanges', { count: edited.length }))}
        </Text>
        {isDirty && (
          <Group component="span" gap="xs">
            <Button variant="subtle" onClick={discard} disabled={isSaving}>
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
          </Group>
        )}
      </Group>
    </Paper>
  )
}
