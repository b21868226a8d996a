import { type Backup, listBackupJobs, restoreBackup } from '@innkeeper/contract/backups'
import { Modal, NativeSelect, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { readableTargets, useTargetName } from './targets/copy-list.tsx'
import type { ServerTargets } from './targets/server-targets-dialog.tsx'
import { useBackupName } from './use-backups.ts'

interface RestoreDialogProps {
  readonly server: string
  readonly backup: Backup
  readonly targets: ServerTargets | undefined
  /** Only administrators may replace the definition. */
  readonly isAdmin: boolean
  readonly onClose: () => void
}

/** Restores everything of a backup. */
export function RestoreDialog({ server, backup, targets, isAdmin, onClose }: RestoreDialogProps) {
  const t = useT()
  const getName = useBackupName()
  const getTargetName = useTargetName(targets)
  const sources = readableTargets(backup)
  const [target, setTarget] = useState<string>()
  const [definition, setDefinition] = useState(false)
  const { mutate, isPending } = useApiMutation(restoreBackup, { invalidates: [listBackupJobs], onSuccess: onClose })
  return (
    <Modal opened onClose={onClose} title={t('backups.RestoreQuestion', { name: getName(backup) })}>
      <Stack gap="md">
        <Text c="dimmed">{t('backups.RestoreBody')}</Text>
        {isAdmin && (
          <Switch
            label={t('backups.WithDefinition')}
            checked={definition}
            onChange={(event) => setDefinition(event.currentTarget.checked)}
          />
        )}
        {sources.length > 1 && (
          <NativeSelect
            label={t('backup-targets.ReadFrom')}
            data={sources.map((id) => ({ value: id, label: getTargetName(id) }))}
            value={target ?? sources[0]}
            onChange={(event) => setTarget(event.currentTarget.value)}
          />
        )}
        <DialogButtons
          onCancel={onClose}
          color="red"
          loading={isPending}
          onClick={() => mutate({ params: { id: server, backup: backup.id }, body: { definition, target } })}
        >
          {t('backups.RestoreAll')}
        </DialogButtons>
      </Stack>
    </Modal>
  )
}
