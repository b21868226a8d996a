import { getPanelRetention, putPanelRetention } from '@innkeeper/contract/backup-plan'
import type { BackupRetention } from '@innkeeper/contract/backup-retention'
import { Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ifMatch, refetchOrThrow, useVersionedApiQuery, type VersionedAnswer } from '../../api/use-api-query.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { type Saved, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast.tsx'
import { RetentionFields, retentionLabels, useFormatRetention } from './retention-fields.tsx'

/** The default retention of the whole panel. */
export function PanelRetentionCard({ id }: { id: string }) {
  const t = useT()
  const query = useVersionedApiQuery(getPanelRetention, {}, { refetchOnWindowFocus: false })
  return (
    <QueryState
      inCard
      query={query}
      errorTitle={t('settings.LoadFailed')}
      skeleton={<Skeleton h={180} radius="lg" aria-label={t('common.Loading')} />}
    >
      {(data) => (
        <RetentionForm id={id} saved={toSaved(data)} reload={async () => toSaved(await refetchOrThrow(query))} />
      )}
    </QueryState>
  )
}

function toSaved({ answer, version }: VersionedAnswer<BackupRetention>): Saved<BackupRetention> {
  return { values: answer, version }
}

interface RetentionFormProps {
  readonly id: string
  readonly saved: Saved<BackupRetention>
  readonly reload: () => Promise<Saved<BackupRetention>>
}

function RetentionForm({ id, saved, reload }: RetentionFormProps) {
  const t = useT()
  const formatValue = useFormatRetention()
  const { mutateAsync } = useApiMutation(putPanelRetention, { silent: true, invalidates: [getPanelRetention] })
  const form = useSaveForm<BackupRetention>({
    id,
    saved,
    reload,
    formatValue,
    getLabel: (field) => t(retentionLabels[field as keyof BackupRetention]),
    send: ({ values, version }) => mutateAsync({ body: values }, ifMatch(version)),
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
