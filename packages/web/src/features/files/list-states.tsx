import { Button, Skeleton } from '@mantine/core'
import { IconFileUnknown, IconFolderOff, IconFolderOpen, IconSearchOff } from '@tabler/icons-react'
import { dirname } from '../../api/file-paths.ts'
import { isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import classes from './files.module.css'
import { isOfFile } from './use-listing.ts'

interface ListFailureProps {
  readonly error: unknown
  readonly path: string
  readonly onPath: (path: string) => void
  readonly onEdit: (path: string) => void
  readonly retry: () => void
}

/** Why there is no list, and the way on. */
export function ListFailure({ error, path, onPath, onEdit, retry: again }: ListFailureProps) {
  const t = useT()
  const up = (
    <Button variant="default" onClick={() => onPath(dirname(path))}>
      {t('files.GoUp')}
    </Button>
  )
  if (isOfFile(error)) {
    return (
      <EmptyState
        icon={<IconFileUnknown size={24} aria-hidden />}
        title={t('files.IsAFile')}
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
        icon={<IconFolderOff size={24} aria-hidden />}
        title={t('files.Gone')}
        actions={
          <>
            {up}
            <Button variant="subtle" color="gray" onClick={() => onPath('')}>
              {t('files.Home')}
            </Button>
          </>
        }
      >
        {t('files.GoneWhy')}
      </EmptyState>
    )
  }
  return <QueryError title={t('files.NotLoaded')} error={error} retry={again} />
}

interface NothingProps {
  readonly sought: string
  readonly isSearching: boolean
  readonly canWrite: boolean
  readonly onClear: () => void
  readonly onSearch: () => void
  readonly onCreate: () => void
}

/** A folder without files, or a filter that nothing passes. */
export function Nothing({ sought, isSearching, canWrite, onClear, onSearch, onCreate }: NothingProps) {
  const t = useT()
  if (sought.trim() === '') {
    return (
      <EmptyState
        icon={<IconFolderOpen size={24} aria-hidden />}
        title={t('files.Empty')}
        actions={
          canWrite && (
            <Button variant="default" onClick={onCreate}>
              {t('files.NewFile')}
            </Button>
          )
        }
      >
        {canWrite && t('files.EmptyHow')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<IconSearchOff size={24} aria-hidden />}
      title={t('files.NothingMatches', { sought })}
      actions={
        <>
          {!isSearching && (
            <Button variant="default" onClick={onSearch}>
              {t('files.SearchBelow')}
            </Button>
          )}
          <Button variant="subtle" color="gray" onClick={onClear}>
            {t('files.ClearFilter')}
          </Button>
        </>
      }
    />
  )
}

const widths = [180, 140, 210, 160, 240, 150, 190, 130]

/** The list before it is known, in its final measures. */
export function ListSkeleton() {
  const t = useT()
  return (
    <div role="status" aria-label={t('common.Loading')} className={classes.skeletons}>
      {widths.map((width) => (
        <div key={width} className={classes.skeleton}>
          <Skeleton w={16} h={16} />
          <Skeleton w={width} h={12} />
          <span className={classes.grow} />
          <Skeleton w={64} h={12} />
        </div>
      ))}
    </div>
  )
}
