import type { FileJobRequest } from '@innkeeper/contract/servers/files'
import { Button, Checkbox, Group, Modal, NavLink, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconCornerLeftUp } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { dirname, parsePath } from '../../api/file-paths.ts'
import { useCloseDialog } from '../../forms/form-dialogs.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { DialogButtons } from '../../ui/overlays/dialog-buttons.tsx'
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
  /** Rejects with the `Refusal` if it failed. */
  readonly onStart: (jobRequest: FileJobRequest) => Promise<unknown>
  readonly onClose: () => void
}

interface TransferValues {
  /** As it is shown or typed. */
  readonly destination: string
  /** By path. */
  readonly resolutions: Readonly<Record<string, ConflictResolution>>
}

/** Moves or copies items: picks the destination, then asks about each name that exists there. */
export function TransferDialog(props: TransferDialogProps) {
  const { server, mode, items, onClose } = props
  const t = useT()
  const { form, folder, listing, error, unresolved, isAsking, setFolder, setTyped, resolve } = useTransferForm(props)
  const close = useCloseDialog(form, onClose)
  const conflict = isAsking ? unresolved[0] : undefined
  const count = items.length
  const name = items[0]?.name ?? ''
  const title =
    count === 1
      ? t(mode === 'move' ? 'files.MoveNamed' : 'files.CopyNamed', { name })
      : t(mode === 'move' ? 'files.MoveCount' : 'files.CopyCount', { count })

  return (
    <Modal opened onClose={close} title={title}>
      <SaveForm form={form}>
        {conflict ? (
          <ConflictQuestion
            key={conflict.path}
            item={conflict}
            others={unresolved.length - 1}
            onResolve={resolve}
            onClose={close}
          />
        ) : (
          <Stack gap="md">
            <FolderPicker
              server={server}
              folder={folder}
              field={form.field('destination')}
              onType={setTyped}
              onFolder={setFolder}
              error={error}
            />
            <DialogButtons
              type="submit"
              onCancel={close}
              disabled={error !== undefined || !listing.items}
              loading={form.isSaving}
            >
              {t(mode === 'move' ? 'files.MoveHere' : 'files.CopyHere')}
            </DialogButtons>
          </Stack>
        )}
      </SaveForm>
    </Modal>
  )
}

function useTransferForm({ server, mode, items, folder: from, onStart, onClose }: TransferDialogProps) {
  const [folder, setListedFolder] = useState(from)
  /** Whether the destination was typed, which is worth a question before it is dropped. */
  const [isTyped, setIsTyped] = useState(false)
  /** Whether the destination is confirmed. */
  const [isAsking, setIsAsking] = useState(false)
  /** The paths of the jobs that a failed attempt started. */
  const [started, setStarted] = useState<ReadonlySet<string>>(new Set())
  const listing = useListing(server, folder)
  const rest = items.filter(({ path }) => !started.has(path))
  const conflicts = findConflicts(rest, folder, new Set(listing.items?.map((item) => item.name)))
  const findUnresolved = (resolutions: TransferValues['resolutions']) =>
    conflicts.filter(({ path }) => !Object.hasOwn(resolutions, path))

  const form = useSubmitForm<TransferValues>({
    initialValues: { destination: `/${from}`, resolutions: {} },
    fieldByCode: { ErrFolderInItself: 'destination', ErrIllegalFileAccess: 'destination' },
    isGuarded: isTyped,
    confirm: async ({ values: { destination, resolutions } }) => {
      // A path that was just typed is listed first, and names that exist need an answer.
      const typed = parsePath(destination.trim())
      if (typed !== folder) setFolder(typed)
      else if (findUnresolved(resolutions).length > 0) setIsAsking(true)
      else return true
      return false
    },
    send: async ({ resolutions }) => {
      const done = new Set(started)
      try {
        for (const jobRequest of toFileJobRequests(mode, rest, folder, new Map(Object.entries(resolutions)))) {
          await onStart(jobRequest)
          if ('paths' in jobRequest) for (const path of jobRequest.paths) done.add(path)
        }
      } catch (error) {
        setStarted(done)
        throw error
      }
    },
    onSaved: onClose,
  })
  const setFolder = (next: string) => {
    setListedFolder(next)
    setIsAsking(false)
    form.set({ destination: `/${next}`, resolutions: next === folder ? form.values.resolutions : {} })
  }
  const unresolved = findUnresolved(form.values.resolutions)
  return {
    form,
    folder,
    listing,
    unresolved,
    isAsking,
    setFolder,
    error: validateDestination(mode, rest, folder),
    setTyped: setIsTyped,
    resolve: (resolution: ConflictResolution, isForAll: boolean) => {
      const resolved = isForAll ? unresolved : unresolved.slice(0, 1)
      const added = Object.fromEntries(resolved.map(({ path }) => [path, resolution]))
      form.set({ resolutions: { ...form.values.resolutions, ...added } })
      if (resolved.length === unresolved.length) void form.save()
    },
  }
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
  /** The folder that is listed. */
  readonly folder: string
  /** The props of the field of its path. */
  readonly field: {
    readonly value: string
    readonly error: ReactNode
    readonly onChange: (path: string) => void
  }
  /** Called with whether the path was typed. */
  readonly onType: (isTyped: boolean) => void
  readonly onFolder: (folder: string) => void
  /** Catalog key of the reason why this folder cannot be used. */
  readonly error: TranslationKey | undefined
}

/** Picks a folder, from a list or by its path. */
function FolderPicker({ server, folder, field, onType, onFolder, error }: FolderPickerProps) {
  const t = useT()
  const { compareNames } = useFormatters()
  const listing = useListing(server, folder)
  const folders = sortItems(
    (listing.items ?? []).filter(({ isFolder, isUnsupported }) => isFolder && !isUnsupported),
    defaultSort,
    compareNames,
  )
  // The dialog opens in the source folder: a hint, not an error.
  const isHint = error === 'files.AlreadyInFolder'
  const message = error && t(error)
  const applyPath = () => onFolder(parsePath(field.value.trim()))
  const pick = (picked: string) => {
    onType(false)
    onFolder(picked)
  }

  return (
    <Stack gap="md">
      <TextInput
        data-autofocus
        label={t('files.Destination')}
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        {...field}
        onChange={(event) => {
          onType(true)
          field.onChange(event.currentTarget.value)
        }}
        onBlur={applyPath}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || parsePath(field.value.trim()) === folder) return
          event.preventDefault()
          applyPath()
        }}
        description={isHint && message}
        error={field.error ?? (!isHint && message)}
      />
      <QueryState
        query={listing}
        errorTitle={t('files.LoadingFailed')}
        renderError={(error) => (
          <>
            <ErrorAlert error={error} />
            <Button variant="default" size="xs" onClick={() => pick('')}>
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
                  onClick={() => pick(dirname(folder))}
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
                  onClick={() => pick(item.path)}
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
