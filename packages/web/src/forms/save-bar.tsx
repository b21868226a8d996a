import { Box, Button, Divider, Group, Paper, Text } from '@mantine/core'
import { IconDeviceFloppy } from '@tabler/icons-react'
import { Link } from 'react-router'
import { Shortcut } from '../hotkeys/shortcut.tsx'
import { useT } from '../i18n/i18n.tsx'
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
}

/** Shows how much is unsaved, and saves or discards it. While there are changes it sticks to the end of the window. */
export function SaveBar({ form, message, canSave = true, action, isInline = false }: SaveBarProps) {
  const t = useT()
  const { edited, isDirty, isSaving, save, discard } = form
  if (!isDirty) return null
  return (
    <Paper
      component="section"
      aria-label={t('common.UnsavedChangesTitle')}
      className={isInline ? classes.inlineBar : classes.stickyBar}
      px="md"
      py="sm"
      {...(isInline ? { radius: 0 } : { shadow: 'md' })}
    >
      <Group gap="xs">
        <Text component="span" role="status" variant="note" flex="1 1 12rem" className={classes.status}>
          {message ?? t('common.UnsavedChanges', { count: edited.length })}
        </Text>
        <Group component="span" gap="xs">
          <Button variant="subtle" onClick={discard} disabled={isSaving}>
            {t('common.Discard')}
          </Button>
          <Button
            onClick={() => void save()}
            loading={isSaving}
            disabled={!canSave}
            leftSection={<IconDeviceFloppy size={17} aria-hidden />}
          >
            {action ?? t('common.Save')}
            <Box component="span" className={classes.keys} ms="xs" visibleFrom="sm" aria-hidden>
              <Shortcut keys="Mod S" />
            </Box>
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}

interface CreateBarProps {
  /** Label of the button that submits the form. */
  readonly action: string
  readonly isSaving: boolean
  readonly canSave?: boolean
  /** Where Cancel leads. */
  readonly cancelTo: string
}

/** The end of a card whose form creates something. The form of something that exists ends with a `SaveBar`. */
export function CreateBar({ action, isSaving, canSave = true, cancelTo }: CreateBarProps) {
  const t = useT()
  return (
    <>
      <Divider />
      <Group justify="flex-end" gap="xs" px="md" py="sm">
        <Button component={Link} to={cancelTo} variant="subtle">
          {t('common.Cancel')}
        </Button>
        <Button type="submit" loading={isSaving} disabled={!canSave}>
          {action}
        </Button>
      </Group>
    </>
  )
}
