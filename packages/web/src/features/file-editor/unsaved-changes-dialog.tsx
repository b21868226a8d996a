import { Button, Group, Modal, Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'

interface UnsavedChangesDialogProps {
  readonly name: string
  readonly opened: boolean
  readonly countChangedLines: () => number
  readonly onDiscard: () => void
  readonly onKeepEditing: () => void
  readonly onSave: () => void
}

/** Asks whether to save, discard or keep editing when an editor with unsaved changes is closed. */
export function UnsavedChangesDialog(props: UnsavedChangesDialogProps) {
  const { name, opened, countChangedLines, onDiscard, onKeepEditing, onSave } = props
  const t = useT()
  return (
    <Modal
      opened={opened}
      onClose={onKeepEditing}
      withCloseButton={false}
      title={t('file-editor.SaveChangesTo', { name })}
      size="26.75rem"
    >
      <Text c="dimmed">{opened && t('file-editor.ClosingDiscards', { count: countChangedLines() })}</Text>
      <Group gap="xs" mt="lg" justify="flex-end">
        <Button variant="subtle" color="red" c="var(--ik-offline)" me="auto" onClick={onDiscard}>
          {t('common.CloseWithoutSaving')}
        </Button>
        <Button variant="subtle" onClick={onKeepEditing}>
          {t('common.KeepEditing')}
        </Button>
        <Button data-autofocus onClick={onSave}>
          {t('common.Save')}
        </Button>
      </Group>
    </Modal>
  )
}
