import { getPanelRetention, putPanelRetention } from '@innkeeper/contract/backup-plan'
import type { BackupRetention } from '@innkeeper/contract/backup-retention'
import { Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast.tsx'
import { RetentionFields, retentionLabels } from './retention-fields.tsx'

/** The default retention of the whole panel. */
export function PanelRetentionCard({ id }: { id: string }) {
  const t = useT()
  const query = useApiQuery(getPanelRetention, {}, { refetchOnWindowFocus: false })
  return (
    <QueryState
      inCard
      query={query}
      errorTitle={t('settings.LoadFailed')}
      skeleton={<Skeleton h={180} radius="lg" aria-label={t('common.Loading')} />}
    >
      {(saved) => <RetentionForm id={id} saved={saved} />}
    </QueryState>
  )
}

function RetentionForm({ id, saved }: { id: string; saved: BackupRetention }) {
  const t = useT()
  const { mutateAsync } = useApiMutation(putPanelRetention, { silent: true, invalidates: [getPanelRetention] })
  const form = useSaveForm<BackupRetention>({
    id,
    saved: { values: saved },
    getLabel: (field) => t(retentionLabels[field as keyof BackupRetention]),
    send: ({ values }) => mutateAsync({ body: values }),
    onSaved: () => toast.success(t('common.Saved')),
  })
  return (
    <Paper>
      <SaveForm form={form} isInCard id={id} aria-label={t('server.TabBackups')}>
        <CardHeader title={t('server.TabBackups')} />
        <Stack p="md">
          <Text c="dimmed">{t('backups.PanelRetentionAbout')}</Text>
          <Text c="dimmed">{t('backups.RetentionAbout')}</Text>
          <RetentionFields form={form} />
        </Stack>
        <SaveBar form={form} isInline />
      </SaveForm>
    </Paper>
  )
}
