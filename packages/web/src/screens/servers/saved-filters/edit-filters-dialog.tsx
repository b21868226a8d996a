import { ActionIcon, Group, Modal, Stack, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../../i18n/i18n.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import { hasInvalidNames, type SavedFilter, savedFilterLimits } from './use-saved-filters.ts'

interface EditFiltersProps {
  readonly filters: readonly SavedFilter[]
  readonly onSave: (filters: readonly SavedFilter[]) => void
  readonly onClose: () => void
}

/** Renames and deletes saved filters. */
export function EditFiltersDialog({ opened, ...props }: EditFiltersProps & { opened: boolean }) {
  const t = useT()
  return (
    <Modal opened={opened} onClose={props.onClose} title={t('servers.EditFilters')}>
      <EditFiltersForm {...props} />
    </Modal>
  )
}

function EditFiltersForm({ filters, onSave, onClose }: EditFiltersProps) {
  const t = useT()
  const [drafts, setDrafts] = useState(() => filters.map((filter) => ({ filter, name: filter.name })))
  const edited = drafts.map(({ filter, name }) => ({ ...filter, name: name.trim() }))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (hasInvalidNames(edited)) return
        onSave(edited)
        onClose()
      }}
    >
      <Stack gap="md">
        {drafts.map(({ filter, name }) => (
          <Group key={filter.name} gap="xs" wrap="nowrap">
            <TextInput
              flex={1}
              aria-label={t('common.RenameNamed', { name: filter.name })}
              maxLength={savedFilterLimits.nameLength}
              autoComplete="off"
              value={name}
              onChange={({ currentTarget: { value } }) =>
                setDrafts(drafts.map((draft) => (draft.filter === filter ? { filter, name: value } : draft)))
              }
            />
            <ActionIcon
              size={36}
              aria-label={t('common.DeleteNamed', { name: filter.name })}
              onClick={() => setDrafts(drafts.filter((draft) => draft.filter !== filter))}
            >
              <IconTrash size={17} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <DialogButtons onCancel={onClose} type="submit" disabled={hasInvalidNames(edited)}>
          {t('common.Save')}
        </DialogButtons>
      </Stack>
    </form>
  )
}
