import { type BackupRetention, expiredBackups, keepEverything } from '@innkeeper/contract/backup-retention'
import { type Backup, getBackupRetention, listBackups, putBackupRetention } from '@innkeeper/contract/backups'
import type { ResponseOf } from '@innkeeper/contract/endpoint'
import { Button, List, Modal, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ifMatch, refetchOrThrow, useVersionedApiQuery, type VersionedAnswer } from '../../api/use-api-query.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useCloseDialog } from '../../forms/use-close-dialog.ts'
import { type Saved, useSaveForm } from '../../forms/use-save-form.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast.tsx'
import { RetentionFields, retentionLabels, useFormatRetention } from './retention-fields.tsx'

interface RetentionDialogProps {
  readonly server: string
  readonly backups: readonly Backup[]
  readonly onClose: () => void
}

/** Changes which backups are kept, and shows which ones that deletes. */
export function RetentionDialog({ server, backups, onClose }: RetentionDialogProps) {
  const t = useT()
  const { query, form, reset, isResetting } = useRetentionForm(server, onClose)
  const close = useCloseDialog(form, onClose)
  return (
    <Modal opened onClose={close} title={t('backups.Retention')}>
      <QueryState query={query} errorTitle={t('backups.LoadFailed')} skeletonHeight="11rem">
        {({ answer: { timezone, source } }) => {
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
                  onCancel={close}
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
  const formatValue = useFormatRetention()
  const query = useVersionedApiQuery(getBackupRetention, { params }, { staleTime: 0 })
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
    // Until it is known what is saved, there is nothing to compare a draft with.
    ...(query.data && { id: `server-${server}-retention` }),
    saved: query.data ? toSaved(query.data) : { values: keepEverything },
    reload: async () => toSaved(await refetchOrThrow(query)),
    // Unchanged rules can be saved too: that deletes the backups they do not keep.
    allowUnchanged: query.data !== undefined,
    getLabel: (field) => t(retentionLabels[field]),
    formatValue,
    send: ({ values, version }) => mutateAsync({ params, body: values }, ifMatch(version)),
    onSaved: () => {
      toast.success(t('common.Saved'))
      // Edits made during the save keep the dialog open.
      if (!form.isDirtyNow()) onClose()
    },
  })
  const reset = () => {
    // What someone else has changed is shown before it is replaced. The mutation shows the error.
    resetting
      .mutateAsync({ params, body: null }, ifMatch(query.data?.version))
      .catch(async () => void (await query.refetch()))
  }
  return { query, form, reset, isResetting: resetting.isPending }
}

function toSaved(read: VersionedAnswer<ResponseOf<typeof getBackupRetention>>): Saved<BackupRetention> {
  return { values: read.answer.retention, version: read.version }
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
