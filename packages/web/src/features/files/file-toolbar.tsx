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
import { columnNames, sortColumns } from './entries.ts'
import classes from './files.module.css'
import { PathBar } from './path-bar.tsx'
import type { FileBrowserState } from './use-file-browser.ts'

/** Opens the browser's dialogs for files to upload. */
export interface UploadActions {
  readonly pickFiles: () => void
  readonly pickFolder: () => void
}

interface FileToolbarProps {
  readonly browser: FileBrowserState
  readonly filter: RefObject<HTMLInputElement | null>
  readonly upload: UploadActions | undefined
  readonly tools: ReactNode
}

/** Path, filter, and the actions for the current folder. */
export function FileToolbar(props: FileToolbarProps) {
  const { browser, tools } = props
  const { server, canWrite, path, onPath, getHref, isPhone } = browser
  const pathBar = (
    <PathBar key={path} rootName={server.name} path={path} onPath={onPath} getHref={getHref} isPhone={isPhone} />
  )
  if (isPhone) {
    return (
      <Group className={classes.section} gap={0} mih={52} py="2xs" ps="sm" pe="xs">
        {pathBar}
        <SortMenu {...browser.listed} />
        {canWrite && <CreateMenu {...props} />}
        {tools}
        <Group gap="2xs" flex="1 0 100%">
          <Filter {...props} />
          <Refresh {...browser} />
        </Group>
      </Group>
    )
  }
  return (
    <Group className={classes.section} gap="xs" mih={52} px="sm" py="xs">
      {pathBar}
      <Filter {...props} />
      <Refresh {...browser} />
      {tools}
      {canWrite && <CreateButtons {...props} />}
    </Group>
  )
}

function Filter({ browser, filter }: FileToolbarProps) {
  const t = useT()
  const { isPhone } = browser
  const { query, setFilter, search } = browser.listed.search
  return (
    <SearchInput
      ref={filter}
      flex={isPhone ? 1 : '1 1 7rem'}
      maw={isPhone ? undefined : '10.5rem'}
      size="xs"
      label={t('files.Filter')}
      rightSection={
        query && <CloseButton size="sm" aria-label={t('common.ClearFilter')} onClick={() => setFilter('')} />
      }
      value={query}
      spellCheck={false}
      onChange={setFilter}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && query.trim() !== '') search()
        if (event.key === 'Escape') setFilter('')
      }}
    />
  )
}

function Refresh({ isPhone, query, refresh }: FileBrowserState) {
  const t = useT()
  return (
    <IconButton
      size={isPhone ? 44 : 32}
      variant={isPhone ? 'subtle' : 'default'}
      label={t('files.Refresh')}
      onClick={refresh}
    >
      {query.isFetching ? <Loader size={17} color="currentColor" aria-hidden /> : <IconRefresh size={17} aria-hidden />}
    </IconButton>
  )
}

function CreateButtons({ browser, upload }: FileToolbarProps) {
  const t = useT()
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFilePlus size={16} aria-hidden />}
        onClick={browser.createFile}
      >
        {t('files.File')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFolderPlus size={16} aria-hidden />}
        onClick={browser.createFolder}
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

function CreateMenu({ browser, upload }: FileToolbarProps) {
  const t = useT()
  return (
    <IconMenu label={t('common.Add')} icon={IconPlus} size={44} button={{ c: 'var(--ik-link)' }} width={210}>
      <Menu.Item leftSection={<IconFilePlus size={17} aria-hidden />} onClick={browser.createFile}>
        {t('files.NewFile')}
      </Menu.Item>
      <Menu.Item leftSection={<IconFolderPlus size={17} aria-hidden />} onClick={browser.createFolder}>
        {t('files.NewFolder')}
      </Menu.Item>
      {upload && <UploadItems upload={upload} />}
    </IconMenu>
  )
}

function SortMenu({ sort, sortBy }: FileBrowserState['listed']) {
  const t = useT()
  return (
    <IconMenu label={t('files.Sort')} icon={IconArrowsSort} size={44} width={190}>
      {sortColumns.map((column) => (
        <Menu.Item
          key={column}
          leftSection={<IconCheck size={17} aria-hidden visibility={sort.by === column ? 'visible' : 'hidden'} />}
          onClick={() => sortBy(column)}
        >
          {t(columnNames[column])}
        </Menu.Item>
      ))}
    </IconMenu>
  )
}
