import { ActionIcon, Button, CloseButton, Menu, TextInput } from '@mantine/core'
import {
  IconArrowsSort,
  IconCheck,
  IconChevronDown,
  IconFilePlus,
  IconFolderPlus,
  IconFolderUp,
  IconPlus,
  IconRefresh,
  IconSearch,
  IconUpload,
} from '@tabler/icons-react'
import type { ReactNode, RefObject } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { type Sort, type SortColumn, sortColumns } from './entries.ts'
import classes from './toolbar.module.css'

/** How files come from the person's own disk; whoever shows the list brings it. */
export interface Upload {
  readonly pickFiles: () => void
  readonly pickFolder: () => void
}

interface ToolbarProps {
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly isBusy: boolean
  readonly sought: string
  readonly onSeek: (sought: string) => void
  /** Enter in the filter: look below this folder too. */
  readonly onSearch: () => void
  readonly filter: RefObject<HTMLInputElement | null>
  readonly sort: Sort
  readonly onSort: (by: SortColumn) => void
  readonly onRefresh: () => void
  readonly onCreate: (kind: 'file' | 'folder') => void
  readonly upload: Upload | undefined
  readonly path: ReactNode
  readonly tools: ReactNode
}

/** Where one is, a filter, and everything that is done with the folder as a whole. */
export function Toolbar(props: ToolbarProps) {
  const { canWrite, isPhone, path, tools } = props
  return (
    <div className={classes.bar}>
      {path}
      {isPhone ? (
        <>
          <SortMenu {...props} />
          {canWrite && <NewMenu {...props} />}
          {tools}
          <div className={classes.filterRow}>
            <Filter {...props} />
            <Refresh {...props} />
          </div>
        </>
      ) : (
        <>
          <Filter {...props} />
          <Refresh {...props} />
          {tools}
          {canWrite && <WideButtons {...props} />}
        </>
      )}
    </div>
  )
}

function Filter({ sought, onSeek, onSearch, filter }: ToolbarProps) {
  const t = useT()
  return (
    <TextInput
      ref={filter}
      className={`${classes.filter} ik-soft`}
      type="search"
      size="xs"
      aria-label={t('files.Filter')}
      placeholder={t('files.Filter')}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={sought && <CloseButton size="sm" aria-label={t('files.ClearFilter')} onClick={() => onSeek('')} />}
      value={sought}
      spellCheck={false}
      onChange={(event) => onSeek(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && sought.trim() !== '') onSearch()
        if (event.key === 'Escape') onSeek('')
      }}
    />
  )
}

function Refresh({ isPhone, isBusy, onRefresh }: ToolbarProps) {
  const t = useT()
  return (
    <ActionIcon
      size={isPhone ? 44 : 32}
      variant={isPhone ? 'subtle' : 'default'}
      aria-label={t('files.Refresh')}
      data-tip={t('files.Refresh')}
      onClick={onRefresh}
    >
      <IconRefresh size={17} aria-hidden className={isBusy ? classes.turning : undefined} />
    </ActionIcon>
  )
}

function WideButtons({ onCreate, upload }: ToolbarProps) {
  const t = useT()
  return (
    <span className={classes.makers}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFilePlus size={16} aria-hidden />}
        onClick={() => onCreate('file')}
      >
        {t('files.File')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFolderPlus size={16} aria-hidden />}
        onClick={() => onCreate('folder')}
      >
        {t('files.Folder')}
      </Button>
      {upload && (
        <span className={classes.split}>
          <Button size="xs" leftSection={<IconUpload size={16} aria-hidden />} onClick={upload.pickFiles}>
            {t('files.Upload')}
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="xs" px={6} aria-label={t('files.MoreUploads')}>
                <IconChevronDown size={15} aria-hidden />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <UploadItems upload={upload} />
            </Menu.Dropdown>
          </Menu>
        </span>
      )}
    </span>
  )
}

function UploadItems({ upload }: { upload: Upload }) {
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

function NewMenu({ onCreate, upload }: ToolbarProps) {
  const t = useT()
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon size={44} className={classes.add} aria-label={t('files.Add')}>
          <IconPlus size={22} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFilePlus size={17} aria-hidden />} onClick={() => onCreate('file')}>
          {t('files.NewFile')}
        </Menu.Item>
        <Menu.Item leftSection={<IconFolderPlus size={17} aria-hidden />} onClick={() => onCreate('folder')}>
          {t('files.NewFolder')}
        </Menu.Item>
        {upload && <UploadItems upload={upload} />}
      </Menu.Dropdown>
    </Menu>
  )
}

const sortNames: Readonly<Record<SortColumn, string>> = {
  name: 'files.Name',
  size: 'files.Size',
  modified: 'files.Modified',
}

function SortMenu({ sort, onSort }: ToolbarProps) {
  const t = useT()
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon size={44} aria-label={t('files.Sort')}>
          <IconArrowsSort size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {sortColumns.map((column) => (
          <Menu.Item
            key={column}
            leftSection={<IconCheck size={17} aria-hidden visibility={sort.by === column ? 'visible' : 'hidden'} />}
            onClick={() => onSort(column)}
          >
            {t(sortNames[column])}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
