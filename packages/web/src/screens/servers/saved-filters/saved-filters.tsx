import { Button, Menu, Text } from '@mantine/core'
import { IconBookmark, IconBookmarkPlus, IconCheck, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../../i18n/i18n.tsx'
import { useIsPhone } from '../../../ui/page.tsx'
import { noFilter, readFilter, writeFilter } from '../filter-params.ts'
import type { ListFilter } from '../use-list-filter.ts'
import { EditFiltersDialog } from './edit-filters-dialog.tsx'
import { SaveFilterDialog } from './save-filter-dialog.tsx'
import { addFilter, savedFilterLimits, useSavedFilters } from './use-saved-filters.ts'

/** A menu of the user's saved filters: chooses one, saves what is set now, and opens the dialog to edit them. */
export function SavedFilters({ filter }: { filter: ListFilter }) {
  const t = useT()
  const isPhone = useIsPhone()
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
            w={isPhone ? '100%' : undefined}
            maw={isPhone ? undefined : '14rem'}
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
