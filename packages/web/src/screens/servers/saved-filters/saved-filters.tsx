import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconBookmark, IconBookmarkPlus, IconCheck, IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../../i18n/i18n.tsx'
import { useJsonPreference } from '../../../session/preferences.tsx'
import { DialogButtons } from '../../../ui/overlays/dialog-buttons.tsx'
import { noFilter, readFilter, writeFilter } from '../list/filter-params.ts'
import type { ListFilter } from '../list/use-list-filter.ts'

/** A menu of the user's saved filters: chooses one, saves what is set now, and opens the dialog to edit them. */
export function SavedFilters({ filter }: { filter: ListFilter }) {
  const t = useT()
  const [filters, setFilters] = useSavedFilters()
  const [dialog, setDialog] = useState<'save' | 'edit'>()
  const toText = (params: Readonly<Record<string, string>>) => new URLSearchParams(params).toString()
  const params = writeFilter(filter)
  const current = filters.find((saved) => toText(saved.params) === toText(params))
  const canSave = Object.keys(params).length > 0 && filters.length < savedFilterLimits.filters
  const closeDialog = () => setDialog(undefined)

  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>
          <Button
            variant="default"
            className="ik-soft"
            w={{ base: '100%', sm: 'auto' }}
            maw={{ sm: '14rem' }}
            leftSection={<IconBookmark size={15} aria-hidden />}
          >
            <Text span inherit truncate>
              {current?.name ?? t('servers.SavedFilters')}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflow: 'auto' }}>
          {filters.map((saved) => (
            <Menu.Item
              key={saved.name}
              aria-current={saved === current || undefined}
              rightSection={saved === current && <IconCheck size={15} aria-hidden />}
              onClick={() => filter.change({ ...noFilter, ...readFilter(new URLSearchParams(saved.params)) })}
            >
              {saved.name}
            </Menu.Item>
          ))}
          {filters.length > 0 && <Menu.Divider />}
          <Menu.Item
            leftSection={<IconBookmarkPlus size={17} aria-hidden />}
            disabled={!canSave}
            onClick={() => setDialog('save')}
          >
            {t('servers.SaveFilter')}
          </Menu.Item>
          {filters.length > 0 && (
            <Menu.Item leftSection={<IconPencil size={17} aria-hidden />} onClick={() => setDialog('edit')}>
              {t('servers.EditFilters')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <SaveFilterDialog
        opened={dialog === 'save'}
        onSave={(name) => setFilters(addFilter(filters, { name, params }))}
        onClose={closeDialog}
      />
      <EditFiltersDialog opened={dialog === 'edit'} filters={filters} onSave={setFilters} onClose={closeDialog} />
    </>
  )
}

interface EditFiltersProps {
  readonly filters: readonly SavedFilter[]
  readonly onSave: (filters: readonly SavedFilter[]) => void
  readonly onClose: () => void
}

/** Renames and deletes saved filters. */
function EditFiltersDialog({ opened, ...props }: EditFiltersProps & { opened: boolean }) {
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

interface SaveFilterDialogProps {
  readonly opened: boolean
  readonly onSave: (name: string) => void
  readonly onClose: () => void
}

/** Asks for the name of the filter that is set now. */
function SaveFilterDialog({ opened, onSave, onClose }: SaveFilterDialogProps) {
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

/** A named filter with its sorting. */
interface SavedFilter {
  readonly name: string
  /** As the search params of the list, see `writeFilter`. */
  readonly params: Readonly<Record<string, string>>
}

/** With these limits the longest possible list fits into a user setting. */
const savedFilterLimits = { filters: 30, nameLength: 40 }

const none: readonly SavedFilter[] = []

/** The saved filters of the user. */
function useSavedFilters() {
  return useJsonPreference('serverFilters', parseSavedFilters, none)
}

function parseSavedFilters(value: unknown): readonly SavedFilter[] | undefined {
  return Array.isArray(value) ? value.filter(isSavedFilter) : undefined
}

function isSavedFilter(value: unknown): value is SavedFilter {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('params' in value)) return false
  const { name, params } = value
  return (
    typeof name === 'string' &&
    typeof params === 'object' &&
    params !== null &&
    Object.values(params).every((param) => typeof param === 'string')
  )
}

const nameKey = (name: string) => name.trim().toLocaleLowerCase()

/** Adds a filter; one with the same name is replaced. */
export function addFilter(filters: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] {
  const others = filters.filter(({ name }) => nameKey(name) !== nameKey(added.name))
  return [...others, { ...added, name: added.name.trim() }]
}

/** Whether two filters have the same name, or one has none. */
export function hasInvalidNames(filters: readonly SavedFilter[]): boolean {
  const names = filters.map(({ name }) => nameKey(name))
  return names.includes('') || new Set(names).size < names.length
}
