import type { FileJobRequest } from '@innkeeper/contract/files'
import { Button, Checkbox, Group, Modal, NavLink, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconCornerLeftUp } from '@tabler/icons-react'
import { useState } from 'react'
import { dirname, parsePath } from '../../api/file-paths.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { defaultSort, type FileItem, sortItems } from './entries.ts'
import { ItemIcon } from './icons.tsx'
import {
  type ConflictResolution,
  findConflicts,
  type TransferMode,
  toFileJobRequests,
  validateDestination,
} from './transfer.ts'
import { useListing } from './use-listing.ts'

interface TransferDialogProps {
  readonly server: string
  readonly mode: TransferMode
  readonly items: readonly FileItem[]
  readonly folder: string
  readonly onStart: (jobRequests: readonly FileJobRequest[]) => void
  readonly onClose: () => void
}

type Resolutions = ReadonlyMap<string, ConflictResolution>

/** Moves or copies items: picks the destination, then asks about each name that exists there. */
export function TransferDialog({ server, mode, items, folder: from, onStart, onClose }: TransferDialogProps) {
  const t = useT()
  const [folder, setFolder] = useState(from)
  /** By path; `undefined` until the destination is confirmed. */
  const [resolutions, setResolutions] = useState<Resolutions>()
  const listing = useListing(server, folder)
  const error = validateDestination(mode, items, folder)
  const conflicts = findConflicts(items, folder, new Set(listing.items?.map(({ name }) => name)))
  const unresolved = conflicts.filter(({ path }) => !resolutions?.has(path))
  const conflict = resolutions && unresolved[0]
  const count = items.length
  const name = items[0]?.name ?? ''
  const title =
    count === 1
      ? t(mode === 'move' ? 'files.MoveNamed' : 'files.CopyNamed', { name })
      : t(mode === 'move' ? 'files.MoveCount' : 'files.CopyCount', { count })

  const proceed = (next: Resolutions) => {
    if (conflicts.some(({ path }) => !next.has(path))) return setResolutions(next)
    const jobRequests = toFileJobRequests(mode, items, folder, next)
    onClose()
    if (jobRequests.length > 0) onStart(jobRequests)
  }
  const resolve = (resolution: ConflictResolution, isForAll: boolean) => {
    const resolved = isForAll ? unresolved : unresolved.slice(0, 1)
    proceed(new Map([...(resolutions ?? []), ...resolved.map(({ path }) => [path, resolution] as const)]))
  }

  return (
    <Modal opened onClose={onClose} title={title}>
      {conflict ? (
        <ConflictQuestion
          key={conflict.path}
          item={conflict}
          others={unresolved.length - 1}
          onResolve={resolve}
          onClose={onClose}
        />
      ) : (
        <Stack gap="md">
          <FolderPicker server={server} folder={folder} onFolder={setFolder} error={error} />
          <DialogButtons
            onCancel={onClose}
            disabled={error !== undefined || !listing.items}
            onClick={() => proceed(new Map())}
          >
            {t(mode === 'move' ? 'files.MoveHere' : 'files.CopyHere')}
          </DialogButtons>
        </Stack>
      )}
    </Modal>
  )
}

interface ConflictQuestionProps {
  readonly item: FileItem
  /** The number of further conflicts. */
  readonly others: number
  readonly onResolve: (resolution: ConflictResolution, isForAll: boolean) => void
  readonly onClose: () => void
}

function ConflictQuestion({ item, others, onResolve, onClose }: ConflictQuestionProps) {
  const t = useT()
  const [isForAll, setIsForAll] = useState(false)
  const { name, isFolder } = item
  return (
    <Stack gap="md">
      <Text role="status">{t(isFolder ? 'files.FolderConflict' : 'files.FileConflict', { name })}</Text>
      {others > 0 && (
        <Checkbox
          label={t('files.ApplyToAll', { count: others })}
          checked={isForAll}
          onChange={(event) => setIsForAll(event.currentTarget.checked)}
        />
      )}
      <Group gap="xs" justify="flex-end">
        <Button variant="subtle" onClick={onClose}>
          {t('common.Cancel')}
        </Button>
        <Button variant="default" onClick={() => onResolve('skip', isForAll)}>
          {t('common.Skip')}
        </Button>
        <Button variant="default" data-autofocus onClick={() => onResolve('keepBoth', isForAll)}>
          {t('common.KeepBoth')}
        </Button>
        <Button onClick={() => onResolve('replace', isForAll)}>{t(isFolder ? 'files.Merge' : 'common.Replace')}</Button>
      </Group>
    </Stack>
  )
}

interface FolderPickerProps {
  readonly server: string
  readonly folder: string
  readonly onFolder: (folder: string) => void
  /** Catalog key of the reason why this folder cannot be used. */
  readonly error: TranslationKey | undefined
}

/** Picks a folder, from a list or by its path. */
function FolderPicker({ server, folder, onFolder, error }: FolderPickerProps) {
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
        error={!isHint && message}
      />
      <QueryState
        query={listing}
        errorTitle={t('files.LoadingFailed')}
        renderError={(error) => (
          <>
            <ErrorAlert error={error} />
            <Button variant="default" size="xs" onClick={() => onFolder('')}>
              {t('files.Home')}
            </Button>
          </>
        )}
      >
        {() => (
          <Paper
            component="ul"
            radius="md"
            p="2xs"
            h="15rem"
            style={{ overflow: 'auto' }}
            aria-label={t('files.Folders')}
            aria-busy={listing.isFetching}
          >
            {folder !== '' && (
              <li>
                <NavLink
                  component="button"
                  type="button"
                  bdrs="sm"
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
                  bdrs="sm"
                  label={<bdi>{item.name}</bdi>}
                  leftSection={<ItemIcon item={item} size={17} />}
                  onClick={() => onFolder(item.path)}
                />
              </li>
            ))}
            {folders.length === 0 && (
              <Text component="li" p="xs" variant="note">
                {t('files.NoFolders')}
              </Text>
            )}
          </Paper>
        )}
      </QueryState>
    </Stack>
  )
}
