import {
  type Backup,
  type BackupArchive,
  backupArchives,
  listBackupFiles,
  listBackupJobs,
  restoreBackup,
} from '@innkeeper/contract/backups'
import type { FileEntry } from '@innkeeper/contract/files'
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
  UnstyledButton,
} from '@mantine/core'
import { IconDownload, IconFile, IconFolderFilled } from '@tabler/icons-react'
import { useState } from 'react'
import { joinPath, pathSegments } from '../../api/file-paths.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { IconMenu } from '../../ui/icon-menu.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { RowList } from '../../ui/row-list.tsx'

interface BackupBrowserProps {
  readonly server: string
  readonly backup: Backup
  readonly canRestore: boolean
  readonly onDownload: (path: string, format: BackupArchive) => void
  readonly onClose: () => void
}

type Existing = 'replace' | 'keepBoth'

/** Shows the files of a backup, and restores or downloads some of them. */
export function BackupBrowser({ server, backup, canRestore, onDownload, onClose }: BackupBrowserProps) {
  const t = useT()
  const { compareNames } = useFormatters()
  const [folder, setFolder] = useState('')
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [existing, setExisting] = useState<Existing>('replace')
  const params = { id: server, backup: backup.id }
  const listing = useApiQuery(listBackupFiles, { params, query: { path: folder } }, { staleTime: Infinity })
  const { mutate, isPending } = useApiMutation(restoreBackup, { invalidates: [listBackupJobs], onSuccess: onClose })
  const open = (path: string) => {
    setFolder(path)
    setSelected(new Set())
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
        <QueryState
          query={listing}
          errorTitle={t('files.LoadingFailed')}
          skeletonHeight="11rem"
          isEmpty={(all) => all.length === 0}
          empty={<Text c="dimmed">{t('files.Empty')}</Text>}
        >
          {(all) => (
            <RowList label={t('files.Files')} style={{ maxHeight: '50dvh', overflow: 'auto' }}>
              {all.toSorted(byTypeAndName(compareNames)).map((entry) => {
                const path = joinPath(folder, entry.name)
                return (
                  <EntryRow
                    key={entry.name}
                    entry={entry}
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
                value={existing}
                onChange={setExisting}
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
                onClick={() => mutate({ params, body: { paths: [...selected], existing } })}
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
