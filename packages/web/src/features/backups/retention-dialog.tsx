import {
  type BackupRetention,
  expiredBackups,
  type RetentionRule,
  retentionRules,
} from '@innkeeper/contract/backup-retention'
import { type Backup, getBackupRetention, listBackups, putBackupRetention } from '@innkeeper/contract/backups'
import { limits } from '@innkeeper/contract/limits'
import { Group, List, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useId, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { QueryState } from '../../ui/query-state.tsx'

const labels: Readonly<Record<RetentionRule, TranslationKey>> = {
  last: 'backups.KeepNewest',
  daily: 'tasks.Mode_daily',
  weekly: 'tasks.Mode_weekly',
  monthly: 'tasks.Mode_monthly',
  yearly: 'backups.KeepYearly',
}

const gibibyte = 1024 ** 3
const maxGibibytes = 1_000_000

interface RetentionDialogProps {
  readonly server: string
  readonly backups: readonly Backup[]
  readonly onClose: () => void
}

/** Changes which backups are kept, and shows which ones that deletes. */
export function RetentionDialog({ server, backups, onClose }: RetentionDialogProps) {
  const t = useT()
  const params = { id: server }
  const query = useApiQuery(getBackupRetention, { params }, { staleTime: 0 })
  const [draft, setDraft] = useState<BackupRetention>()
  const { mutate, isPending } = useApiMutation(putBackupRetention, {
    invalidates: [listBackups, getBackupRetention],
    onSuccess: onClose,
  })
  return (
    <Modal opened onClose={onClose} title={t('backups.Retention')}>
      <QueryState
        query={query}
        errorTitle={t('backups.LoadFailed')}
        skeleton={<Skeleton h="11rem" role="status" aria-label={t('common.Loading')} />}
      >
        {({ retention: saved, timezone }) => {
          const retention = draft ?? saved
          const expired = expiredBackups(backups, retention, timezone)
          return (
            <Stack gap="md">
              <Text c="dimmed">{t('backups.RetentionAbout')}</Text>
              <Group gap="sm">
                {retentionRules.map((rule) => (
                  <NumberField
                    key={rule}
                    label={t(labels[rule])}
                    max={limits.backupsKept}
                    value={retention[rule]}
                    onChange={(count) => setDraft({ ...retention, [rule]: count })}
                  />
                ))}
                <NumberField
                  label={t('backups.SizeLimit')}
                  max={maxGibibytes}
                  value={Math.ceil(retention.maxBytes / gibibyte)}
                  onChange={(size) => setDraft({ ...retention, maxBytes: size * gibibyte })}
                />
              </Group>
              <Text c="dimmed">{t('backups.SizeLimitAbout')}</Text>
              <ExpiredBackups backups={expired} />
              <DialogButtons
                onCancel={onClose}
                {...(expired.length > 0 && { color: 'red' })}
                loading={isPending}
                onClick={() => mutate({ params, body: retention })}
              >
                {t('common.Save')}
              </DialogButtons>
            </Stack>
          )
        }}
      </QueryState>
    </Modal>
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
