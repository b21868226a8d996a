import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { type BackupRetention, expiredBackups, keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { type Backup, getBackupRetention, listBackups, putBackupRetention } from '@innkeeper/contract/backups/backups'
import { Button, List, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useVersionedApiQuery } from '../../api/use-api.ts'
import { SaveDialog, useDialogForm } from '../../forms/form-dialogs.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { RetentionFields, retentionLabels, useFormatRetention } from './retention-fields.tsx'

interface RetentionDialogProps {
  readonly server: string
  readonly backups: readonly Backup[]
  readonly onClose: () => void
}

/** Changes which backups are kept, and shows which ones that deletes. */
export function RetentionDialog({ server, backups, onClose }: RetentionDialogProps) {
  const t = useT()
  const params = { id: server }
  const formatValue = useFormatRetention()
  const query = useVersionedApiQuery(getBackupRetention, { params }, { staleTime: 0 })
  const invalidates = [listBackups, getBackupRetention]
  const { mutateAsync } = useApiMutation(putBackupRetention, { invalidates })
  const onSaved = () => toast.success(t('common.Saved'))
  // Unchanged rules can be saved too: that deletes the backups they do not keep.
  const state = useDialogForm<BackupRetention, ResponseOf<typeof getBackupRetention>>({
    id: `server-${server}-retention`,
    query,
    toValues: ({ retention }) => retention,
    initialValues: keepEverything,
    getLabel: (field) => t(retentionLabels[field]),
    formatValue,
    send: ({ values, version }) => mutateAsync({ params, body: values }, { version }),
    onSaved,
    onClose,
  })
  const { form } = state
  const resetting = useApiMutation(putBackupRetention, {
    invalidates,
    onSuccess: () => {
      onSaved()
      form.discard()
      onClose()
    },
  })
  // What someone else has changed is shown before it is replaced.
  const reset = () => resetting.mutate({ params, body: null }, { version: query.data?.version })
  return (
    <SaveDialog
      state={state}
      title={t('backups.Retention')}
      errorTitle={t('backups.LoadFailed')}
      skeletonHeight="11rem"
      isDestructive={({ timezone }) => expiredBackups(backups, form.values, timezone).length > 0}
    >
      {({ timezone, source }) => (
        <>
          <Text c="dimmed">{t('backups.RetentionAbout')}</Text>
          <Text c="dimmed">{t('backups.RetentionKept')}</Text>
          {(source === 'panel' || source === 'node') && (
            <Text fw={500}>{t(source === 'panel' ? 'backups.FromPanel' : 'backups.FromNode')}</Text>
          )}
          <RetentionFields form={form} />
          <Button variant="default" loading={resetting.isPending} onClick={() => void reset()}>
            {t('backups.UseDefault')}
          </Button>
          <ExpiredBackups backups={expiredBackups(backups, form.values, timezone)} />
        </>
      )}
    </SaveDialog>
  )
}

function ExpiredBackups({ backups }: { backups: readonly Backup[] }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const label = useId()
  return (
    <Stack gap="2xs" role="status">
      <Text id={label}>{t('backups.WillDelete', { count: backups.length })}</Text>
      {backups.length > 0 && (
        <List aria-labelledby={label} fz="compact" style={{ maxHeight: '20dvh', overflow: 'auto' }}>
          {backups.map(({ id, name, createdAt }) => (
            <List.Item key={id}>
              {dateTime(Date.parse(createdAt))} <bdi>{name}</bdi>
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}
