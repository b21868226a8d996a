import { Box, Button, Group, Skeleton } from '@mantine/core'
import { IconFileUnknown, IconFolderOff, IconFolderOpen, IconSearchOff } from '@tabler/icons-react'
import { dirname } from '../../api/file-paths.ts'
import { isRefusal } from '../../api/request.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import classes from './files.module.css'
import type { FileBrowserState } from './use-file-browser.ts'
import { isFileResponse } from './use-listing.ts'

/** Why there is no folder at the path, and what to do next; `undefined` for other errors. */
export function renderNoFolder(t: TFunction, error: unknown, { path, onPath, onEdit }: FileBrowserState) {
  const up = (
    <Button variant="default" onClick={() => onPath(dirname(path))}>
      {t('files.GoUp')}
    </Button>
  )
  if (isFileResponse(error)) {
    return (
      <EmptyState
        icon={IconFileUnknown}
        title={t('files.IsFile')}
        actions={
          <>
            <Button
              onClick={() => {
                onPath(dirname(path))
                onEdit(path)
              }}
            >
              {t('files.Open')}
            </Button>
            {up}
          </>
        }
      />
    )
  }
  if (path !== '' && isRefusal(error, 'ErrFileNotFound', 'ErrNotFound', 'ErrNotAFile', 'ErrIllegalFileAccess')) {
    return (
      <EmptyState
        isError
        icon={IconFolderOff}
        title={t('files.FolderNotFound')}
        actions={
          <>
            {up}
            <Button variant="subtle" onClick={() => onPath('')}>
              {t('files.Home')}
            </Button>
          </>
        }
      >
        {t('files.FolderNotFoundReason')}
      </EmptyState>
    )
  }
  return undefined
}

interface EmptyFolderProps {
  readonly search: FileBrowserState['listed']['search']
  /** Undefined without permission. */
  readonly onCreate: (() => void) | undefined
}

/** An empty folder, or a filter without matches. */
export function EmptyFolder({ search, onCreate }: EmptyFolderProps) {
  const t = useT()
  const { query } = search
  if (query.trim() === '') {
    return (
      <EmptyState
        icon={IconFolderOpen}
        title={t('files.Empty')}
        actions={
          onCreate && (
            <Button variant="default" onClick={onCreate}>
              {t('files.NewFile')}
            </Button>
          )
        }
      >
        {onCreate && t('files.EmptyHow')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={IconSearchOff}
      title={t('common.NothingMatches', { query })}
      actions={
        <>
          {!search.isSearching && (
            <Button variant="default" onClick={search.search}>
              {t('files.SearchSubfolders')}
            </Button>
          )}
          <Button variant="subtle" onClick={() => search.setFilter('')}>
            {t('common.ClearFilter')}
          </Button>
        </>
      }
    />
  )
}

const widths = [180, 140, 210, 160, 240, 150, 190, 130]

/** The list while it is loading, with the row heights of the real one. */
export function ListSkeleton() {
  const t = useT()
  return (
    <Box
      role="status"
      aria-label={t('common.Loading')}
      flex={1}
      pt={{ base: 0, sm: '2xl' }}
      style={{ overflow: 'hidden' }}
    >
      {widths.map((width) => (
        <Group key={width} className={classes.section} gap="sm" wrap="nowrap" h={{ base: 60, sm: 42 }} px="md">
          <Skeleton w={16} h={16} />
          <Skeleton w={width} h={12} />
          <Skeleton w={64} h={12} ms="auto" />
        </Group>
      ))}
    </Box>
  )
}
