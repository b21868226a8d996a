import { Button, TextInput, UnstyledButton } from '@mantine/core'
import { IconCornerLeftUp } from '@tabler/icons-react'
import { useState } from 'react'
import { dirname, parsePath } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import classes from './dialogs.module.css'
import { sorted, usualSort } from './entries.ts'
import { ItemIcon } from './icons.tsx'
import { useListing } from './use-listing.ts'

interface FolderPickerProps {
  readonly server: string
  readonly folder: string
  readonly onFolder: (folder: string) => void
  /** Why this folder will not do, as a key of the catalogue. */
  readonly objection: string | undefined
}

/** Chooses a folder: by going there, or by typing where it is. */
export function FolderPicker({ server, folder, onFolder, objection }: FolderPickerProps) {
  const t = useT()
  const [typed, setTyped] = useState<string>()
  const listing = useListing(server, folder)
  const folders = sorted(
    (listing.items ?? []).filter(({ isFolder, isOdd }) => isFolder && !isOdd),
    usualSort,
  )
  const isStart = objection === 'files.AlreadyThere'
  const go = () => {
    if (typed !== undefined) onFolder(parsePath(typed.trim()))
    setTyped(undefined)
  }

  return (
    <div className={classes.picker}>
      <TextInput
        data-autofocus
        label={t('files.Destination')}
        dir="ltr"
        value={typed ?? `/${folder}`}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={go}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || typed === undefined) return
          event.preventDefault()
          go()
        }}
        // Everybody begins where the things are: that is no mistake.
        description={isStart && objection && t(objection)}
        error={listing.isError ? errorMessage(t, listing.error) : !isStart && objection && t(objection)}
      />
      <ul className={classes.folders} aria-label={t('files.Folders')} aria-busy={listing.isFetching}>
        {folder !== '' && (
          <li>
            <UnstyledButton onClick={() => onFolder(dirname(folder))}>
              <IconCornerLeftUp size={17} aria-hidden />
              {t('files.Up')}
            </UnstyledButton>
          </li>
        )}
        {folders.map((one) => (
          <li key={one.path}>
            <UnstyledButton onClick={() => onFolder(one.path)}>
              <ItemIcon item={one} size={17} />
              <bdi>{one.name}</bdi>
            </UnstyledButton>
          </li>
        ))}
        {listing.items && folders.length === 0 && <li className={classes.quiet}>{t('files.NoFolders')}</li>}
      </ul>
      {listing.isError && (
        <Button variant="default" size="xs" onClick={() => onFolder('')}>
          {t('files.Home')}
        </Button>
      )}
    </div>
  )
}
