import { type BackupRetention, expiredBackups, keepEverything } from '@innkeeper/contract/backup-retention'
import { type Backup, getBackupRetention, listBackups, putBackupRetention } from '@innkeeper/contract/backups'
import { Button, List, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast.tsx'
import { RetentionFields, retentionLabels } from './retention-fields.tsx'

interface RetentionDialogProps {
  readonly server: string
  readonly backups: readonly Backup[]
  readonly onClose: () => void
}

/** Changes which backups are kept, and shows which ones that deletes. */
export function RetentionDialog({ server, backups, onClose }: RetentionDialogProps) {
  const t = useT()
  const confirm = useConfirm()
  const { query, form, reset, isResetting } = useRetentionForm(server, onClose)
  const close = async () => {
    const question = { title: t('common.LeaveTitle'), body: t('common.LeaveBody'), action: t('common.LeaveAction') }
    if (form.isDirty && !(await confirm({ ...question, danger: true }))) return
    form.discard()
    onClose()
  }
  return (
    <Modal opened onClose={() => void close()} title={t('backups.Retention')}>
      <QueryState
        query={query}
        errorTitle={t('backups.LoadFailed')}
        skeleton={<Skeleton h="11rem" role="status" aria-label={t('common.Loading')} />}
      >
        {({ timezone, source }) => {
          const expired = expiredBackups(backups, form.values, timezone)
          return (
            <SaveForm form={form}>
              <Stack gap="md">
                <Text c="dimmed">{t('backups.RetentionAbout')}</Text>
                <Text c="dimmed">{t('backups.RetentionKept')}</Text>
                {(source === 'panel' || source === 'node') && (
                  <Text fw={500}>{t(source === 'panel' ? 'backups.FromPanel' : 'backups.FromNode')}</Text>
                )}
                <RetentionFields form={form} />
                <Button variant="default" loading={isResetting} onClick={reset}>
                  {t('backups.UseDefault')}
                </Button>
                <ExpiredBackups backups={expired} />
                <DialogButtons
                  type="submit"
                  onCancel={() => void close()}
                  {...(expired.length > 0 && { color: 'red' })}
                  loading={form.isSaving}
                >
                  {t('common.Save')}
                </DialogButtons>
              </Stack>
            </SaveForm>
          )
        }}
      </QueryState>
    </Modal>
  )
}

/** The form of the dialog. It is shown once `query` has data. */
function useRetentionForm(server: string, onClose: () => void) {
  const t = useT()
  const params = { id: server }
  const query = useApiQuery(getBackupRetention, { params }, { staleTime: 0 })
  const invalidates = [listBackups, getBackupRetention]
  const { mutateAsync } = useApiMutation(putBackupRetention, { silent: true, invalidates })
  const resetting = useApiMutation(putBackupRetention, {
    invalidates,
    onSuccess: () => {
      toast.success(t('common.Saved'))
      form.discard()
      onClose()
    },
  })
  const form = useSaveForm<BackupRetention>({
    saved: { values: query.data?.retention ?? keepEverything },
    // Unchanged rules can be saved too: that deletes the backups they do not keep.
    isNew: query.data !== undefined,
    getLabel: (field) => t(retentionLabels[field]),
    showFailureIn: 'form',
    send: ({ values }) => mutateAsync({ params, body: values }),
    onSaved: () => {
      toast.success(t('common.Saved'))
      // Edits made during the save keep the dialog open.
      if (!form.isDirtyNow()) onClose()
    },
  })
  const reset = () => resetting.mutate({ params, body: null })
  return { query, form, reset, isResetting: resetting.isPending }
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
