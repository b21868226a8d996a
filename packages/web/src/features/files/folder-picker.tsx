import { Button, NavLink, Stack, Text, TextInput } from '@mantine/core'
import { IconCornerLeftUp } from '@tabler/icons-react'
import { useState } from 'react'
import { dirname, parsePath } from '../../api/file-paths.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { errorMessage } from '../../ui/error-message.ts'
import { defaultSort, sortItems } from './entries.ts'
import classes from './files.module.css'
import { ItemIcon } from './icons.tsx'
import { useListing } from './use-listing.ts'

interface FolderPickerProps {
  readonly server: string
  readonly folder: string
  readonly onFolder: (folder: string) => void
  /** Catalog key of the reason why this folder cannot be used. */
  readonly error: TranslationKey | undefined
}

/** Picks a folder, from a list or by its path. */
export function FolderPicker({ server, folder, onFolder, error }: FolderPickerProps) {
  const t = useT()
  const { compareNames } = useFormatters()
  const [draft, setDraft] = useState<string>()
  const listing = useListing(server, folder)
  const folders = sortItems(
    (listing.items ?? []).filter(({ isFolder, isUnsupported }) => isFolder && !isUnsupported),
    defaultSort,
    compareNames,
  )
  // The dialog opens in the source folder: a hint, not an error.
  const isHint = error === 'files.AlreadyInFolder'
  const message = error && t(error)
  const applyDraft = () => {
    if (draft !== undefined) onFolder(parsePath(draft.trim()))
    setDraft(undefined)
  }

  return (
    <Stack gap="md">
      <TextInput
        data-autofocus
        label={t('files.Destination')}
        dir="ltr"
        value={draft ?? `/${folder}`}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={applyDraft}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || draft === undefined) return
          event.preventDefault()
          applyDraft()
        }}
        description={isHint && message}
        error={listing.isError ? errorMessage(t, listing.error) : !isHint && message}
      />
      <ul className={classes.folders} aria-label={t('files.Folders')} aria-busy={listing.isFetching}>
        {folder !== '' && (
          <li>
            <NavLink
              component="button"
              type="button"
              label={t('files.Up')}
              leftSection={<IconCornerLeftUp size={17} aria-hidden />}
              onClick={() => onFolder(dirname(folder))}
            />
          </li>
        )}
        {folders.map((item) => (
          <li key={item.path}>
            <NavLink
              component="button"
              type="button"
              label={<bdi>{item.name}</bdi>}
              leftSection={<ItemIcon item={item} size={17} />}
              onClick={() => onFolder(item.path)}
            />
          </li>
        ))}
        {listing.items && folders.length === 0 && (
          <Text component="li" p="xs" variant="note">
            {t('files.NoFolders')}
          </Text>
        )}
      </ul>
      {listing.isError && (
        <Button variant="default" size="xs" onClick={() => onFolder('')}>
          {t('files.Home')}
        </Button>
      )}
    </Stack>
  )
}
