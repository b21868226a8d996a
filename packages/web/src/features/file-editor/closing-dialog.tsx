import { Button, Modal } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import classes from './file-editor.module.css'

interface ClosingDialogProps {
  readonly name: string
  readonly opened: boolean
  readonly changedLines: () => number
  readonly onDiscard: () => void
  readonly onKeep: () => void
  readonly onSave: () => void
}

/** Asks what becomes of changes when the editor is about to close. */
export function ClosingDialog({ name, opened, changedLines, onDiscard, onKeep, onSave }: ClosingDialogProps) {
  const t = useT()
  return (
    <Modal
      opened={opened}
      onClose={onKeep}
      withCloseButton={false}
      title={t('file-editor.SaveChangesTo', { name })}
      size="26.75rem"
    >
      <p className={classes.quiet}>{opened && t('file-editor.ClosingDiscards', { count: changedLines() })}</p>
      <div className={classes.buttons}>
        <Button variant="subtle" color="red" className={classes.danger ?? ''} onClick={onDiscard}>
          {t('file-editor.CloseWithoutSaving')}
        </Button>
        <span className={classes.grow} />
        <Button variant="subtle" color="gray" onClick={onKeep}>
          {t('file-editor.KeepEditing')}
        </Button>
        <Button data-autofocus onClick={onSave}>
          {t('common.Save')}
        </Button>
      </div>
    </Modal>
  )
}
