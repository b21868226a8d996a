import { Button, CloseButton, Group, Loader, Menu } from '@mantine/core'
import {
  IconArrowsSort,
  IconCheck,
  IconChevronDown,
  IconFilePlus,
  IconFolderPlus,
  IconFolderUp,
  IconPlus,
  IconRefresh,
  IconUpload,
} from '@tabler/icons-react'
import type { ReactNode, RefObject } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { columnNames, type Sort, type SortColumn, sortColumns } from './entries.ts'
import classes from './files.module.css'

/** Opens the browser's dialogs for files to upload. */
export interface UploadActions {
  readonly pickFiles: () => void
  readonly pickFolder: () => void
}

interface FileToolbarProps {
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly isBusy: boolean
  readonly query: string
  readonly onQueryChange: (query: string) => void
  /** Searches the subfolders too. */
  readonly onSearch: () => void
  readonly filter: RefObject<HTMLInputElement | null>
  readonly sort: Sort
  readonly onSort: (by: SortColumn) => void
  readonly onRefresh: () => void
  readonly onCreateFile: () => void
  readonly onCreateFolder: () => void
  readonly upload: UploadActions | undefined
  readonly path: ReactNode
  readonly tools: ReactNode
}

/** Path, filter, and the actions for the current folder. */
export function FileToolbar(props: FileToolbarProps) {
  const { canWrite, path, tools } = props
  if (props.isPhone) {
    return (
      <Group className={classes.section} gap={0} mih={52} py="2xs" ps="sm" pe="xs">
        {path}
        <SortMenu {...props} />
        {canWrite && <CreateMenu {...props} />}
        {tools}
        <Group gap="2xs" flex="1 0 100%">
          <Filter {...props} />
          <Refresh {...props} />
        </Group>
      </Group>
    )
  }
  return (
    <Group className={classes.section} gap="xs" mih={52} px="sm" py="xs">
      {path}
      <Filter {...props} />
      <Refresh {...props} />
      {tools}
      {canWrite && <CreateButtons {...props} />}
    </Group>
  )
}

function Filter({ isPhone, query, onQueryChange, onSearch, filter }: FileToolbarProps) {
  const t = useT()
  return (
    <SearchInput
      ref={filter}
      flex={isPhone ? 1 : '1 1 7rem'}
      maw={isPhone ? undefined : '10.5rem'}
      size="xs"
      label={t('files.Filter')}
      rightSection={
        query && <CloseButton size="sm" aria-label={t('common.ClearFilter')} onClick={() => onQueryChange('')} />
      }
      value={query}
      spellCheck={false}
      onChange={onQueryChange}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && query.trim() !== '') onSearch()
        if (event.key === 'Escape') onQueryChange('')
      }}
    />
  )
}

function Refresh({ isPhone, isBusy, onRefresh }: FileToolbarProps) {
  const t = useT()
  return (
    <IconButton
      size={isPhone ? 44 : 32}
      variant={isPhone ? 'subtle' : 'default'}
      label={t('files.Refresh')}
      onClick={onRefresh}
    >
      {isBusy ? <Loader size={17} color="currentColor" aria-hidden /> : <IconRefresh size={17} aria-hidden />}
    </IconButton>
  )
}

function CreateButtons({ onCreateFile, onCreateFolder, upload }: FileToolbarProps) {
  const t = useT()
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="xs" variant="default" leftSection={<IconFilePlus size={16} aria-hidden />} onClick={onCreateFile}>
        {t('files.File')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFolderPlus size={16} aria-hidden />}
        onClick={onCreateFolder}
      >
        {t('files.Folder')}
      </Button>
      {upload && (
        <Button.Group>
          <Button size="xs" leftSection={<IconUpload size={16} aria-hidden />} onClick={upload.pickFiles}>
            {t('files.Upload')}
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="xs" px="xs" style={{ marginInlineStart: 1 }} aria-label={t('files.MoreUploadOptions')}>
                <IconChevronDown size={15} aria-hidden />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <UploadItems upload={upload} />
            </Menu.Dropdown>
          </Menu>
        </Button.Group>
      )}
    </Group>
  )
}

function UploadItems({ upload }: { upload: UploadActions }) {
  const t = useT()
  return (
    <>
      <Menu.Item leftSection={<IconUpload size={17} aria-hidden />} onClick={upload.pickFiles}>
        {t('files.UploadFiles')}
      </Menu.Item>
      <Menu.Item leftSection={<IconFolderUp size={17} aria-hidden />} onClick={upload.pickFolder}>
        {t('files.UploadFolder')}
      </Menu.Item>
    </>
  )
}

function CreateMenu({ onCreateFile, onCreateFolder, upload }: FileToolbarProps) {
  const t = useT()
  return (
    <IconMenu label={t('common.Add')} icon={IconPlus} size={44} button={{ c: 'var(--ik-link)' }} width={210}>
      <Menu.Item leftSection={<IconFilePlus size={17} aria-hidden />} onClick={onCreateFile}>
        {t('files.NewFile')}
      </Menu.Item>
      <Menu.Item leftSection={<IconFolderPlus size={17} aria-hidden />} onClick={onCreateFolder}>
        {t('files.NewFolder')}
      </Menu.Item>
      {upload && <UploadItems upload={upload} />}
    </IconMenu>
  )
}

function SortMenu({ sort, onSort }: FileToolbarProps) {
  const t = useT()
  return (
    <IconMenu label={t('files.Sort')} icon={IconArrowsSort} size={44} width={190}>
      {sortColumns.map((column) => (
        <Menu.Item
          key={column}
          leftSection={<IconCheck size={17} aria-hidden visibility={sort.by === column ? 'visible' : 'hidden'} />}
          onClick={() => onSort(column)}
        >
          {t(columnNames[column])}
        </Menu.Item>
      ))}
    </IconMenu>
  )
}
