import { Button, Group, Modal, Text } from '@mantine/core'
import { useT } from '../i18n/i18n.tsx'

interface UnsavedChangesDialogProps {
  readonly opened: boolean
  readonly title: string
  /** What closing loses. */
  readonly body: string
  readonly canSave?: boolean
  readonly onDiscard: () => void
  readonly onKeepEditing: () => void
  readonly onSave: () => void
}

/** Asks whether to save, discard or keep editing when an editor with unsaved changes is closed. */
export function UnsavedChangesDialog(props: UnsavedChangesDialogProps) {
  const { opened, title, body, canSave = true, onDiscard, onKeepEditing, onSave } = props
  const t = useT()
  return (
    <Modal opened={opened} onClose={onKeepEditing} withCloseButton={false} title={title} size="26.75rem">
      <Text c="dimmed">{body}</Text>
      <Group gap="xs" mt="lg" justify="flex-end">
        <Button variant="subtle" color="red" c="var(--ik-offline)" me="auto" onClick={onDiscard}>
          {t('common.CloseWithoutSaving')}
        </Button>
        <Button variant="subtle" onClick={onKeepEditing}>
          {t('common.KeepEditing')}
        </Button>
        <Button data-autofocus disabled={!canSave} onClick={onSave}>
          {t('common.Save')}
        </Button>
      </Group>
    </Modal>
  )
}
