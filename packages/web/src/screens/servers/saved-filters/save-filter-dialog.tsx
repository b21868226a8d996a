import { Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../../i18n/i18n.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import { savedFilterLimits } from './use-saved-filters.ts'

interface SaveFilterDialogProps {
  readonly opened: boolean
  readonly onSave: (name: string) => void
  readonly onClose: () => void
}

/** Asks for the name of the filter that is set now. */
export function SaveFilterDialog({ opened, onSave, onClose }: SaveFilterDialogProps) {
  const t = useT()
  const [name, setName] = useState('')
  return (
    <Modal opened={opened} onClose={onClose} onExitTransitionEnd={() => setName('')} title={t('servers.SaveFilter')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() === '') return
          onSave(name)
          onClose()
        }}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('common.Name')}
            description={t('servers.SaveFilterHint')}
            maxLength={savedFilterLimits.nameLength}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <DialogButtons onCancel={onClose} type="submit" disabled={name.trim() === ''}>
            {t('common.Save')}
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}
