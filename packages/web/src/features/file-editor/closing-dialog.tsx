import { Button, Modal } from '@mantine/core'
import { useText } from '../../i18n/text.tsx'
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
  const text = useText()
  return (
    <Modal
      opened={opened}
      onClose={onKeep}
      withCloseButton={false}
      title={text('file-editor.SaveChangesTo', { name })}
      size="26.75rem"
    >
      <p className={classes.quiet}>{opened && text('file-editor.ClosingDiscards', { count: changedLines() })}</p>
      <div className={classes.buttons}>
        <Button variant="subtle" color="red" className={classes.danger ?? ''} onClick={onDiscard}>
          {text('file-editor.CloseWithoutSaving')}
        </Button>
        <span className={classes.grow} />
        <Button variant="subtle" color="gray" onClick={onKeep}>
          {text('file-editor.KeepEditing')}
        </Button>
        <Button data-autofocus onClick={onSave}>
          {text('common.Save')}
        </Button>
      </div>
    </Modal>
  )
}
