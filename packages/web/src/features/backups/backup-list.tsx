import {
  type Backup,
  type BackupArchive,
  type BackupVerification,
  backupArchives,
} from '@innkeeper/contract/backups/backups'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { ActionIcon, Button, Group, Menu, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCopy,
  IconDownload,
  IconFolderOpen,
  IconLock,
  IconLockOpen,
  IconShieldCheck,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { InfoPopover } from '../../ui/feedback/info-popover.tsx'
import { CardTable } from '../../ui/lists/card-table.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { translateReason } from '../../ui/text/reason-text.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import classes from './backup-list.module.css'
import { CopyList, readableTargets, type ServerTargets, useTargetName } from './targets/copy-list.tsx'
import { useBackupName } from './use-backups.ts'

interface BackupActions {
  readonly onFiles: (backup: Backup) => void
  readonly onDownload: (backup: Backup, format: BackupArchive) => void
  /** Absent without permission; so are the next ones. */
  readonly onRestore?: (backup: Backup) => void
  readonly onClone?: (backup: Backup) => void
  readonly onVerify?: (backup: Backup, target?: string) => void
  /** Makes the missing copies on a target now. */
  readonly onCopy?: (target: string) => void
  readonly onLock?: (backup: Backup, isLocked: boolean) => void
  readonly onDelete?: (backup: Backup) => void
}

interface BackupListProps extends BackupActions {
  readonly backups: readonly Backup[]
  /** Present when the node has several. */
  readonly targets: ServerTargets | undefined
}

/** Backups with their time, author, note and sizes. The widths are fixed: a time that grows moves no column. */
export function BackupList({ backups, targets, onCopy, ...actions }: BackupListProps) {
  const t = useT()
  const { fileSize, longDuration } = useFormatters()
  return (
    <CardTable
      layout="fixed"
      horizontalSpacing="sm"
      verticalSpacing="sm"
      tabularNums
      highlightOnHover
      aria-label={t('server.TabBackups')}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col" w="18%">
            {t('activity.When')}
          </Table.Th>
          <Table.Th scope="col">{t('nodes.Range_note')}</Table.Th>
          <Table.Th scope="col" ta="end" w="12%">
            {t('files.Size')}
          </Table.Th>
          <Table.Th className={classes.secondary} scope="col" ta="end" w="12%">
            {t('backups.NewData')}
          </Table.Th>
          <Table.Th className={classes.secondary} scope="col" ta="end" w="12%">
            {t('steps.Field_duration')}
          </Table.Th>
          <Table.Th scope="col" w="13.5rem">
            <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {backups.map((backup) => (
          <Table.Tr key={backup.id}>
            <Table.Th scope="row" fw="normal" fz="sm" c="var(--ik-text)" flex="1 1 8rem">
              <Time backup={backup} />
            </Table.Th>
            <Table.Td flex="1 0 100%">
              <Note backup={backup} targets={targets} onCopy={onCopy} />
            </Table.Td>
            <Table.Td c="dimmed" ta="end" data-label={t('files.Size')}>
              {fileSize(backup.bytes)}
            </Table.Td>
            <Table.Td className={classes.secondary} c="dimmed" ta="end" data-label={t('backups.NewData')}>
              {fileSize(backup.newBytes)}
            </Table.Td>
            <Table.Td className={classes.secondary} c="dimmed" ta="end" data-label={t('steps.Field_duration')}>
              {longDuration(backup.durationMs)}
            </Table.Td>
            <Table.Td style={{ order: -1 }}>
              <Group gap="xs" wrap="nowrap" justify="flex-end">
                {actions.onRestore && <RestoreButton backup={backup} onRestore={actions.onRestore} />}
                <ActionMenu backup={backup} targets={targets} {...actions} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </CardTable>
  )
}

function Time({ backup: { author, createdAt, isLocked } }: { backup: Backup }) {
  const t = useT()
  return (
    <Group gap="xs" wrap="nowrap">
      <Stack gap="3xs" miw={0}>
        <RelativeTime time={createdAt} />
        {author !== undefined && (
          <Text component="bdi" variant="caption" style={{ overflowWrap: 'anywhere' }}>
            {t('backups.By', { name: author })}
          </Text>
        )}
      </Stack>
      {isLocked && (
        <InfoPopover
          text={t('errors.ErrBackupLocked')}
          renderButton={(props) => (
            <ActionIcon size={24} aria-label={t('errors.ErrBackupLocked')} {...props}>
              <IconLock size={15} aria-hidden />
            </ActionIcon>
          )}
        />
      )}
    </Group>
  )
}

function RestoreButton({ backup, onRestore }: { backup: Backup; onRestore: (backup: Backup) => void }) {
  const t = useT()
  const name = useBackupName()(backup)
  return (
    <Button variant="default" aria-label={t('files.RestoreNamed', { name })} onClick={() => onRestore(backup)}>
      {t('forms.Restore')}
    </Button>
  )
}

/** How many files could not be read, with the names of some. */
function unreadText(t: TFunction, count: number, names: readonly string[] = []): string {
  const text = t('backups.Unread', { count })
  return names.length === 0 ? text : `${text} (${names.join(', ')}${count > names.length ? ', …' : ''})`
}

type RowProps = Pick<BackupListProps, 'targets'> & { readonly backup: Backup }
type NoteProps = RowProps & { readonly onCopy: BackupActions['onCopy'] | undefined }

function Note({ backup, targets, onCopy }: NoteProps) {
  const { name, origin, server, verification, copies = [] } = backup
  const t = useT()
  const verificationText = useVerificationText()
  const { error, bootError } = verification ?? {}
  const isVerified = verification !== undefined && !error
  const warnings = [
    ...(error ? [t('backups.FailedVerify', { reason: errorMessage(t, refusalFrom({ error })) })] : []),
    ...(bootError ? [errorMessage(t, refusalFrom({ error: bootError }))] : []),
    ...(server === 'running' ? [t('backups.WasRunning')] : []),
    ...(backup.unreadFiles === undefined ? [] : [unreadText(t, backup.unreadFiles, backup.unreadNames)]),
  ]
  const isEmpty = name === '' && origin !== 'restore' && !isVerified && warnings.length === 0
  if (isEmpty && !targets) return null
  return (
    <Stack gap="3xs" align="flex-start" style={{ overflowWrap: 'anywhere' }}>
      {name !== '' && <bdi>{name}</bdi>}
      {origin === 'restore' && <span>{t('backups.BeforeRestore')}</span>}
      {isVerified && <Text variant="caption">{verificationText(verification)}</Text>}
      {targets && <CopyList copies={copies} targets={targets} onCopy={onCopy} />}
      {warnings.map((warning) => (
        <Group key={warning} gap="xs" wrap="nowrap" align="flex-start" c="var(--ik-warning)">
          <IconAlertTriangle size={15} aria-hidden style={{ flex: 'none' }} />
          <Text fz="xs">{warning}</Text>
        </Group>
      ))}
    </Stack>
  )
}

/** What a successful verification found. */
function useVerificationText(): (verification: BackupVerification) => string {
  const t = useT()
  const { dateTime, longDuration } = useFormatters()
  return ({ at, bootedInMs, notBooted }) => {
    const time = dateTime(Date.parse(at))
    if (bootedInMs !== undefined) return t('backups.Booted', { time, duration: longDuration(bootedInMs) })
    if (notBooted !== undefined) return t('backups.NotBooted', { time, reason: translateReason(t, notBooted) })
    return t('backups.Verified', { time })
  }
}

interface Action {
  readonly label: string
  readonly Icon: TablerIcon
  readonly isDisabled?: boolean
  readonly isDanger?: boolean
  readonly run: () => void
}

type ActionMenuProps = RowProps & Omit<BackupActions, 'onCopy'>

function ActionMenu(props: ActionMenuProps) {
  const { backup, targets, onFiles, onDownload, onRestore, onClone, onVerify, onLock, onDelete } = props
  const t = useT()
  const getName = useBackupName()
  const getTargetName = useTargetName(targets)
  const sources = readableTargets(backup)
  const { isLocked } = backup
  const actions: readonly Action[] = [
    {
      label: t(onRestore ? 'backups.RestoreFiles' : 'server.TabFiles'),
      Icon: IconFolderOpen,
      run: () => onFiles(backup),
    },
    ...backupArchives.map((format) => ({
      label: t('backups.DownloadAs', { format }),
      Icon: IconDownload,
      isDisabled: backup.files === 0,
      run: () => onDownload(backup, format),
    })),
    ...(onClone ? [{ label: t('server.Clone'), Icon: IconCopy, run: () => onClone(backup) }] : []),
    ...(onVerify && sources.length < 2
      ? [{ label: t('backups.Verify'), Icon: IconShieldCheck, run: () => onVerify(backup) }]
      : []),
    ...(onVerify && sources.length > 1
      ? sources.map((target) => ({
          label: t('backup-targets.VerifyOn', { name: getTargetName(target) }),
          Icon: IconShieldCheck,
          run: () => onVerify(backup, target),
        }))
      : []),
    ...(onLock
      ? [
          {
            label: t(isLocked ? 'backups.Unlock' : 'backups.Lock'),
            Icon: isLocked ? IconLockOpen : IconLock,
            run: () => onLock(backup, !isLocked),
          },
        ]
      : []),
    ...(onDelete
      ? [
          {
            label: t('common.Delete'),
            Icon: IconTrash,
            isDisabled: isLocked,
            isDanger: true,
            run: () => onDelete(backup),
          },
        ]
      : []),
  ]
  return (
    <IconMenu label={t('common.MoreFor', { name: getName(backup) })} size={44}>
      {actions.map(({ label, Icon, isDisabled = false, isDanger = false, run }) => (
        <Menu.Item
          key={label}
          c={isDanger ? 'var(--ik-offline)' : undefined}
          leftSection={<Icon size={18} aria-hidden />}
          disabled={isDisabled}
          onClick={run}
        >
          {label}
        </Menu.Item>
      ))}
    </IconMenu>
  )
}
