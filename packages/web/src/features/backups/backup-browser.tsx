import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import {
  type Backup,
  type BackupArchive,
  backupArchives,
  listBackupFiles,
  listBackupJobs,
  restoreBackup,
  searchBackupFiles,
} from '@innkeeper/contract/backups/backups'
import type { FileEntry } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import {
  Box,
  Breadcrumbs,
  Button,
  Checkbox,
  Group,
  Input,
  Menu,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { IconDownload, IconFile, IconFolderFilled } from '@tabler/icons-react'
import { useState } from 'react'
import { joinPath, parsePath, pathSegments } from '../../api/file-paths.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { RowList } from '../../ui/layout/row-list.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { DialogButtons } from '../../ui/overlays/dialog-buttons.tsx'

interface BackupBrowserProps {
  readonly server: string
  readonly backup: Backup
  readonly canRestore: boolean
  readonly onDownload: (path: string, format: BackupArchive) => void
  readonly onClose: () => void
}

/** A listing, or the result of a search. */
type FoundEntries = ResponseOf<typeof listBackupFiles> | ResponseOf<typeof searchBackupFiles>

/** With its folder when it was searched. */
type ShownEntry = FileEntry & { readonly path?: string }

type RestoreConflictPolicy = 'replace' | 'keepBoth'

/** Shows the files of a backup, and restores or downloads some of them. */
export function BackupBrowser({ server, backup, canRestore, onDownload, onClose }: BackupBrowserProps) {
  const t = useT()
  const { compareNames } = useFormatters()
  const [folder, setFolder] = useState('')
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [conflictPolicy, setConflictPolicy] = useState<RestoreConflictPolicy>('replace')
  const params = { id: server, backup: backup.id }
  const listing = useApiQuery(listBackupFiles, { params, query: { path: folder } }, { staleTime: Infinity })
  const [text, setText] = useState('')
  const [isSearching, setSearching] = useState(false)
  const found = useApiQuery(
    searchBackupFiles,
    { params, query: { path: folder, text: text.trim() } },
    { staleTime: Infinity, enabled: isSearching },
  )
  const matches = ({ name }: FileEntry) => name.toLowerCase().includes(text.trim().toLowerCase())
  const getEntries = (data: FoundEntries): ShownEntry[] => {
    const entries = 'found' in data ? data.found : data.filter(matches)
    return entries.toSorted(byTypeAndName(compareNames))
  }
  const { mutate, isPending } = useApiMutation(restoreBackup, { invalidates: [listBackupJobs], onSuccess: onClose })
  const open = (path: string) => {
    setFolder(path)
    setSelected(new Set())
    filter('')
  }
  const filter = (next: string) => {
    setText(next)
    setSearching(false)
  }
  const toggle = (path: string) => {
    const next = new Set(selected)
    if (!next.delete(path)) next.add(path)
    setSelected(next)
  }

  return (
    <Modal opened onClose={onClose} size="lg" variant="phone-full-screen" title={t('backups.RestoreFiles')}>
      <Stack gap="md">
        <Breadcrumbs style={{ flexWrap: 'wrap' }}>
          {[{ name: t('files.Home'), path: '' }, ...pathSegments(folder)].map(({ name, path }) => (
            <UnstyledButton
              key={path}
              mih={44}
              c="var(--ik-link)"
              aria-current={path === folder ? 'page' : undefined}
              onClick={() => open(path)}
            >
              <bdi>{name}</bdi>
            </UnstyledButton>
          ))}
        </Breadcrumbs>
        <Group gap="xs">
          <TextInput
            type="search"
            flex="1 1 10rem"
            aria-label={t('files.Filter')}
            placeholder={t('files.Filter')}
            maxLength={limits.nameBytes}
            value={text}
            onChange={(event) => filter(event.currentTarget.value)}
          />
          <Button variant="default" disabled={text.trim() === '' || isSearching} onClick={() => setSearching(true)}>
            {t('files.SearchSubfolders')}
          </Button>
        </Group>
        {isSearching && found.data?.isComplete === false && (
          <Text c="dimmed">{t('files.FoundMore', { count: found.data.found.length })}</Text>
        )}
        <QueryState<FoundEntries>
          query={isSearching ? found : listing}
          errorTitle={t('files.LoadingFailed')}
          skeletonHeight="11rem"
          isEmpty={(all) => getEntries(all).length === 0}
          empty={<Text c="dimmed">{text === '' ? t('files.Empty') : t('common.NothingMatches', { query: text })}</Text>}
        >
          {(all) => (
            <RowList label={t('server.TabFiles')} style={{ maxHeight: '50dvh', overflow: 'auto' }}>
              {getEntries(all).map((entry) => {
                const path = joinPath(entry.path === undefined ? folder : parsePath(entry.path), entry.name)
                return (
                  <EntryRow
                    key={path}
                    entry={{ ...entry, name: entry.path === undefined ? entry.name : path }}
                    onOpen={() => open(path)}
                    onDownload={(format) => onDownload(path, format)}
                    {...(canRestore && { isSelected: selected.has(path), onToggle: () => toggle(path) })}
                  />
                )
              })}
            </RowList>
          )}
        </QueryState>
        {canRestore && (
          <Group justify="space-between" align="flex-end">
            <Stack gap="xs" align="flex-start">
              <Input.Label labelElement="div">{t('files.ExistingFiles')}</Input.Label>
              <SegmentedControl
                aria-label={t('files.ExistingFiles')}
                value={conflictPolicy}
                onChange={setConflictPolicy}
                data={[
                  { value: 'replace', label: t('common.Replace') },
                  { value: 'keepBoth', label: t('common.KeepBoth') },
                ]}
              />
            </Stack>
            <Box ms="auto">
              <DialogButtons
                onCancel={onClose}
                disabled={selected.size === 0}
                loading={isPending}
                onClick={() => mutate({ params, body: { paths: [...selected], existing: conflictPolicy } })}
              >
                {t('forms.Restore')}
              </DialogButtons>
            </Box>
          </Group>
        )}
        {!canRestore && (
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.Close')}
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  )
}

interface EntryRowProps {
  readonly entry: FileEntry
  readonly isSelected?: boolean
  readonly onToggle?: () => void
  readonly onOpen: () => void
  readonly onDownload: (format: BackupArchive) => void
}

function EntryRow({ entry, isSelected = false, onToggle, onOpen, onDownload }: EntryRowProps) {
  const t = useT()
  const { fileSize } = useFormatters()
  const { name, isFile, size = 0, isOdd = false, isLink = false } = entry
  const label = <bdi style={{ overflowWrap: 'anywhere' }}>{name}</bdi>
  return (
    <Group component="li" gap="sm" wrap="nowrap" px="xs" mih={44}>
      {onToggle && (
        <Checkbox
          aria-label={t('common.SelectNamed', { name })}
          checked={isSelected}
          disabled={isOdd}
          onChange={onToggle}
        />
      )}
      {isFile ? (
        <IconFile size={18} color="var(--ik-dim)" aria-hidden style={{ flex: 'none' }} />
      ) : (
        <IconFolderFilled size={18} color="var(--ik-highlight)" aria-hidden style={{ flex: 'none' }} />
      )}
      {isFile ? (
        <Text flex={1} miw={0}>
          {label}
        </Text>
      ) : (
        <UnstyledButton flex={1} miw={0} mih={44} onClick={onOpen}>
          {label}
        </UnstyledButton>
      )}
      <Text variant="caption" style={{ whiteSpace: 'nowrap' }}>
        {isFile && !isOdd && fileSize(size)}
      </Text>
      <Box w={32} flex="none">
        {!isOdd && !isLink && isFile && (
          <IconButton label={t('files.DownloadNamed', { name })} size={32} onClick={() => onDownload('zip')}>
            <IconDownload size={17} aria-hidden />
          </IconButton>
        )}
        {!isFile && <FolderDownload name={name} onDownload={onDownload} />}
      </Box>
    </Group>
  )
}

/** Downloads a folder in one of the formats. */
function FolderDownload({ name, onDownload }: { readonly name: string } & Pick<EntryRowProps, 'onDownload'>) {
  const t = useT()
  return (
    <IconMenu label={t('files.DownloadNamed', { name })} icon={IconDownload} size={32}>
      {backupArchives.map((format) => (
        <Menu.Item key={format} onClick={() => onDownload(format)}>
          {t('backups.DownloadAs', { format })}
        </Menu.Item>
      ))}
    </IconMenu>
  )
}

/** Folders come first. */
function byTypeAndName(compareNames: (a: string, b: string) => number) {
  return (a: FileEntry, b: FileEntry) =>
    a.isFile === b.isFile ? compareNames(a.name, b.name) || (a.name < b.name ? -1 : 1) : a.isFile ? 1 : -1
}
