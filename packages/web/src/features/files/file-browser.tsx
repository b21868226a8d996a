import { Paper, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconFilePlus, IconFolderPlus, IconRefresh, IconUpload, type TablerIcon } from '@tabler/icons-react'
import { createElement, type ReactNode, useRef, useState } from 'react'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { BulkBar } from '../../ui/lists/bulk-bar.tsx'
import { type Action, actionNames, getAvailableActions } from './actions.ts'
import { BrowserFooter, SearchSummary } from './browser-sections.tsx'
import { Dialogs } from './dialogs.tsx'
import { type FileItem, totalSize } from './entries.ts'
import { FileList } from './file-list.tsx'
import { type ContextMenuState, FileMenu } from './file-menu.tsx'
import { FileToolbar, type UploadActions } from './file-toolbar.tsx'
import classes from './files.module.css'
import { actionIcons } from './icons.tsx'
import { ItemCounts } from './item-counts.tsx'
import { FileJobList } from './jobs/file-job-list.tsx'
import { type FileBrowserOptions, type FileBrowserState, useFileBrowser } from './use-file-browser.ts'
import type { FileTableHandle } from './use-grid-rows.ts'
import { useFocusInside, useRestoreFocus } from './use-restore-focus.ts'

export interface FileBrowserProps extends FileBrowserOptions {
  /** Uploads into the current folder. */
  readonly upload?: UploadActions
  /** Wraps the list, to accept dropped files. Its folder rows have the attribute `data-drop-folder`. */
  readonly frame?: (list: ReactNode) => ReactNode
  /** More toolbar buttons. */
  readonly tools?: ReactNode
  /** Alerts above the list. */
  readonly notices?: ReactNode
}

/** A server's files, one folder at a time, with all file actions. */
export function FileBrowser(props: FileBrowserProps) {
  const { upload, frame = noFrame, tools, notices } = props
  const t = useT()
  const browser = useFileBrowser(props)
  const { canWrite, path, isPhone, selection, jobs, goUp } = browser
  const { items, listing } = browser.listed
  const [menu, setMenu] = useState<ContextMenuState>()

  const panel = useRef<HTMLDivElement>(null)
  const filter = useRef<HTMLInputElement>(null)
  const table = useRef<FileTableHandle>(null)
  const focus = useFocusInside(panel)
  useRestoreFocus(path, items, listing.items !== undefined, focus.isInside, table, panel)
  useFileHotkeys(browser, focus.isInside, upload?.pickFiles, () => filter.current?.focus())
  const bulkBar = selection.selected.length > 0 && <FileBulkBar browser={browser} />

  return (
    <Paper
      component="section"
      ref={panel}
      className={classes.browser}
      aria-label={t('server.TabFiles')}
      onFocus={focus.enter}
      onBlur={focus.leave}
    >
      <FileToolbar browser={browser} filter={filter} upload={upload} tools={tools} />
      {isPhone && bulkBar}
      <SearchSummary {...browser} />
      <FileJobList jobs={jobs} canWrite={canWrite} />
      {notices}
      {frame(
        // Receives the focus while there are no rows.
        <Stack
          gap={0}
          flex={1}
          mih={0}
          data-list
          data-quiet-focus
          tabIndex={-1}
          onKeyDown={(event) => {
            if (event.key === 'Backspace' && event.target === event.currentTarget) goUp()
          }}
        >
          {!isPhone && bulkBar}
          <FileList browser={browser} onMenu={setMenu} handle={table} />
        </Stack>,
      )}
      <BrowserFooter {...browser} />
      <VisuallyHidden role="status">{browser.announcement}</VisuallyHidden>
      <SelectionStatus selected={selection.selected} />
      <FileMenu
        browser={browser}
        state={menu}
        onClose={() => {
          setMenu(undefined)
          // A dialog that the menu opens returns the focus to the element that has it now.
          table.current?.focus(menu?.items[0]?.path)
        }}
      />
      <Dialogs browser={browser} />
    </Paper>
  )
}

const noFrame = (list: ReactNode) => list

/** Announces how much is selected. */
function SelectionStatus({ selected }: { selected: readonly FileItem[] }) {
  const t = useT()
  const { fileSize } = useFormatters()
  const size = fileSize(totalSize(selected), { decimals: 2 })
  return (
    <VisuallyHidden role="status">
      {selected.length > 0 && t('files.SelectedAnnouncement', { count: selected.length, size })}
    </VisuallyHidden>
  )
}

const bulkActions: readonly Action[] = ['download', 'archive', 'move', 'copy', 'delete']

/** How many items are selected and their size, and the actions for all of them. */
function FileBulkBar({ browser }: { browser: FileBrowserState }) {
  const t = useT()
  const { fileSize } = useFormatters()
  const { canWrite, isPhone, actions } = browser
  const { selected, clear } = browser.selection
  const available = getAvailableActions(selected, canWrite)
  const bytes = totalSize(selected)
  const hasFolders = selected.some(({ isFolder }) => isFolder)
  return (
    <BulkBar
      inCard={isPhone}
      overHead={!isPhone}
      iconsOnly={isPhone}
      aria-label={t('files.SelectionActions')}
      summary={
        <>
          {t('files.Selected', { count: selected.length })}{' '}
          <Text span display={isPhone ? 'block' : undefined} fw={400} variant="caption">
            {hasFolders && <ItemCounts items={selected} />}
            {hasFolders && bytes > 0 && ' · '}
            {bytes > 0 && <bdi>{fileSize(bytes, { decimals: 2 })}</bdi>}
          </Text>
        </>
      }
      actions={bulkActions
        .filter((action) => available.includes(action))
        .map((action) => ({
          name: t(actionNames[action]),
          icon: actionIcons[action],
          isDanger: action === 'delete',
          run: () => actions.runAction(action, selected),
        }))}
      onClear={clear}
    />
  )
}

/**
 * The shortcuts of the Files tab. `r` refreshes immediately while the focus is in the list. Elsewhere it is also the
 * first key of the power sequences (`r r`, `r s`), so it refreshes only if no second key follows.
 */
function useFileHotkeys(
  { canWrite, createFile, createFolder, refresh }: FileBrowserState,
  isInside: boolean,
  onUpload: (() => void) | undefined,
  onFilter: () => void,
): void {
  const t = useT()
  const common = { group: t('server.TabFiles'), isContextual: true }
  useHotkeys([
    { ...common, icon: icon(IconFilePlus), keys: 'n f', label: t('files.NewFile'), enabled: canWrite, run: createFile },
    {
      ...common,
      icon: icon(IconFolderPlus),
      keys: 'n d',
      label: t('files.NewFolder'),
      enabled: canWrite,
      run: createFolder,
    },
    {
      ...common,
      icon: icon(IconRefresh),
      keys: 'r',
      label: t('files.RefreshFiles'),
      waitsForNextKey: !isInside,
      run: refresh,
    },
    {
      ...common,
      icon: icon(IconUpload),
      keys: 'u',
      label: t('files.UploadFiles'),
      enabled: canWrite && onUpload !== undefined,
      run: () => onUpload?.(),
    },
    { ...common, keys: '/', label: t('files.Filter'), hiddenInPalette: true, run: onFilter },
  ])
}

function icon(Icon: TablerIcon) {
  return createElement(Icon, { size: 18, 'aria-hidden': true })
}
