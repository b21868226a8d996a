import {
  getNodeRetention,
  getPanelRetention,
  type NodeRetention,
  putNodeRetention,
  putPanelRetention,
} from '@innkeeper/contract/backups/backup-plan'
import type { BackupRetention } from '@innkeeper/contract/backups/backup-retention'
import { Button, Group, Text } from '@mantine/core'
import type { VersionedResponse } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { refetchOrThrow, useVersionedApiQuery } from '../../api/use-api.ts'
import type { Saved } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { RetentionForm } from './retention-form.tsx'

/** The default retention of a node, and where it comes from. */
export function NodeRetentionCard({ node }: { node: number }) {
  const t = useT()
  const params = { id: node }
  const query = useVersionedApiQuery(getNodeRetention, { params }, { refetchOnWindowFocus: false })
  const invalidates = [getNodeRetention]
  const { mutateAsync } = useApiMutation(putNodeRetention, { invalidates })
  const resetting = useApiMutation(putNodeRetention, {
    invalidates,
    onSuccess: () => toast.success(t('common.Saved')),
  })
  const reset = async (discard: () => void) => {
    // What someone else has changed is shown before it is replaced.
    if (await resetting.mutate({ params, body: null }, { version: query.data?.version })) discard()
  }
  return (
    <QueryState inCard query={query} errorTitle={t('common.SettingsNotLoaded')}>
      {(data) => (
        <RetentionForm
          id={`node-${node}-retention`}
          title={t('backups.Retention')}
          about={t('backups.NodeRetentionAbout')}
          saved={toSaved(data)}
          reload={async () => toSaved(await refetchOrThrow(query))}
          send={({ values, version }) => mutateAsync({ params, body: values }, { version })}
        >
          {(form) =>
            data.response.source !== 'default' && (
              <Group justify="space-between">
                <Text fw={500}>{t(data.response.source === 'node' ? 'backups.FromNode' : 'backups.FromPanel')}</Text>
                {data.response.source === 'node' && (
                  <Button
                    size="xs"
                    variant="default"
                    loading={resetting.isPending}
                    onClick={() => void reset(form.discard)}
                  >
                    {t('backups.UsePanelDefault')}
                  </Button>
                )}
              </Group>
            )
          }
        </RetentionForm>
      )}
    </QueryState>
  )
}

function toSaved({ response, version }: VersionedResponse<NodeRetention>): Saved<BackupRetention> {
  return { values: response.retention, version }
}

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
          saved={toSavedRetention(data)}
          reload={async () => toSavedRetention(await refetchOrThrow(query))}
          send={({ values, version }) => mutateAsync({ body: values }, { version })}
        />
      )}
    </QueryState>
  )
}

function toSavedRetention({ response, version }: VersionedResponse<BackupRetention>): Saved<BackupRetention> {
  return { values: response, version }
}
