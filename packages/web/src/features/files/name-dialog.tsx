import { Button, Modal, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { useShowError } from '../../ui/toast.tsx'
import classes from './dialogs.module.css'
import { objectionTo, type TakenNames } from './names.ts'

interface NameDialogProps {
  readonly title: string
  /** The verb on the button. */
  readonly action: string
  /** What the field begins with; of `world.zip`, `world` is chosen for typing over it. */
  readonly name?: string
  readonly taken: TakenNames
  /** Rejects with the refusal when it could not be done. */
  readonly onName: (name: string) => Promise<void>
  readonly onClose: () => void
}

/** Asks for a name: of something new, or a new one. */
export function NameDialog({ title, action, name: first = '', taken, onName, onClose }: NameDialogProps) {
  const t = useT()
  const tell = useShowError()
  const [name, setName] = useState(first)
  const [isBusy, setIsBusy] = useState(false)
  const [objection, setObjection] = useState<string>()
  const known = name === first ? undefined : objectionTo(name, taken)

  const go = async () => {
    if (name === '' || known !== undefined) return
    if (name === first) return onClose()
    setIsBusy(true)
    try {
      await onName(name)
      onClose()
    } catch (refusal) {
      if (isRefusal(refusal, 'ErrFileExists', 'ErrIllegalFileAccess', 'ErrNotAFile', 'ErrFileNotFound')) {
        setObjection(errorMessage(t, refusal))
      } else tell(refusal)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        className={classes.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void go()
        }}
      >
        <TextInput
          data-autofocus
          label={t('files.Name')}
          dir="auto"
          value={name}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onFocus={({ currentTarget }) => {
            const dot = first.lastIndexOf('.')
            currentTarget.setSelectionRange(0, dot > 0 ? dot : first.length)
          }}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setObjection(undefined)
          }}
          error={known === undefined ? objection : t(known)}
        />
        <div className={classes.dialogButtons}>
          <Button variant="subtle" color="gray" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button type="submit" loading={isBusy} disabled={name === '' || known !== undefined}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
