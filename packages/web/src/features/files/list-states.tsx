import { Button, Skeleton } from '@mantine/core'
import { IconFileUnknown, IconFolderOff, IconFolderOpen, IconSearchOff } from '@tabler/icons-react'
import { folderOf } from '../../api/file-paths.ts'
import { isRefusal } from '../../api/request.ts'
import { useText } from '../../i18n/text.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import classes from './files.module.css'
import { isOfFile } from './use-listing.ts'

interface ListFailureProps {
  readonly error: unknown
  readonly path: string
  readonly onPath: (path: string) => void
  readonly onEdit: (path: string) => void
  readonly again: () => void
}

/** Why there is no list, and the way on. */
export function ListFailure({ error, path, onPath, onEdit, again }: ListFailureProps) {
  const text = useText()
  const up = (
    <Button variant="default" onClick={() => onPath(folderOf(path))}>
      {text('files.GoUp')}
    </Button>
  )
  if (isOfFile(error)) {
    return (
      <EmptyState
        icon={<IconFileUnknown size={24} stroke={1.6} aria-hidden />}
        title={text('files.IsAFile')}
        actions={
          <>
            <Button
              onClick={() => {
                onPath(folderOf(path))
                onEdit(path)
              }}
            >
              {text('files.Open')}
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
        icon={<IconFolderOff size={24} stroke={1.6} aria-hidden />}
        title={text('files.Gone')}
        actions={
          <>
            {up}
            <Button variant="subtle" color="gray" onClick={() => onPath('')}>
              {text('files.Home')}
            </Button>
          </>
        }
      >
        {text('files.GoneWhy')}
      </EmptyState>
    )
  }
  return <LoadFailure title={text('files.NotLoaded')} error={error} again={again} />
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
  const text = useText()
  if (sought.trim() === '') {
    return (
      <EmptyState
        icon={<IconFolderOpen size={24} stroke={1.6} aria-hidden />}
        title={text('files.Empty')}
        actions={
          canWrite && (
            <Button variant="default" onClick={onCreate}>
              {text('files.NewFile')}
            </Button>
          )
        }
      >
        {canWrite && text('files.EmptyHow')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<IconSearchOff size={24} stroke={1.6} aria-hidden />}
      title={text('files.NothingMatches', { sought })}
      actions={
        <>
          {!isSearching && (
            <Button variant="default" onClick={onSearch}>
              {text('files.SearchBelow')}
            </Button>
          )}
          <Button variant="subtle" color="gray" onClick={onClear}>
            {text('files.ClearFilter')}
          </Button>
        </>
      }
    />
  )
}

const widths = [180, 140, 210, 160, 240, 150, 190, 130]

/** The list before it is known, in its final measures. */
export function ListSkeleton() {
  const text = useText()
  return (
    <div role="status" aria-label={text('common.Loading')} className={classes.skeletons}>
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
