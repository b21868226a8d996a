import { getPanelRetention, putPanelRetention } from '@innkeeper/contract/backups/backup-plan'
import type { BackupRetention } from '@innkeeper/contract/backups/backup-retention'
import { refetchOrThrow } from '../../api/query-results.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useVersionedApiQuery } from '../../api/use-versioned-api-query.ts'
import type { VersionedResponse } from '../../api/versions.ts'
import type { Saved } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { RetentionForm } from './retention-form.tsx'

/** The default retention of the whole panel. */
export function PanelRetentionCard({ id }: { id: string }) {
  const t = useT()
  const query = useVersionedApiQuery(getPanelRetention, {}, { refetchOnWindowFocus: false })
  const { mutateAsync } = useApiMutation(putPanelRetention, { invalidates: [getPanelRetention] })
  return (
    <QueryState inCard query={query} errorTitle={t('common.SettingsNotLoaded')}>
      {(data) => (
        <RetentionForm
          id={id}
          title={t('server.TabBackups')}
          about={t('backups.PanelRetentionAbout')}
          saved={toSaved(data)}
          reload={async () => toSaved(await refetchOrThrow(query))}
          send={({ values, version }) => mutateAsync({ body: values }, { version })}
        />
      )}
    </QueryState>
  )
}

function toSaved({ response, version }: VersionedResponse<BackupRetention>): Saved<BackupRetention> {
  return { values: response, version }
}
