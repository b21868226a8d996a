import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { getBackupPlan, type PlannedJob } from '@innkeeper/contract/backups/backup-plan'
import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'

const pollMs = 60_000

const labels = {
  backup: 'steps.Type_backup',
  proof: 'backups.Verify',
  prune: 'backups.Work_prune',
} as const satisfies Record<PlannedJob['type'], TranslationKey>

/** When backups are made next, verified, and deleted ones freed: on one node, or on all. */
export function BackupPlanCard({ node }: { node?: number }) {
  const t = useT()
  const query = useApiQuery(getBackupPlan, { query: { node } }, { refetchInterval: pollMs })
  return (
    <Paper>
      <CardHeader title={t('backups.NextWork')} />
      <QueryState query={query} errorTitle={t('backups.LoadFailed')}>
        {(plan) => <Plan plan={plan} hasNodes={node === undefined} />}
      </QueryState>
    </Paper>
  )
}

interface PlanProps {
  readonly plan: ResponseOf<typeof getBackupPlan>
  /** Whether the jobs are of several nodes. */
  readonly hasNodes: boolean
}

function Plan({ plan: { work: jobs, missing }, hasNodes }: PlanProps) {
  const t = useT()
  const { list } = useFormatters()
  return (
    <>
      {missing.length > 0 && (
        <Stack p="md">
          <Alert type="warning">{t('backups.NodesMissing', { names: list(missing) })}</Alert>
        </Stack>
      )}
      {jobs.length === 0 && missing.length === 0 && (
        <Text p="md" c="dimmed">
          {t('backups.NoWork', { step: t('steps.Type_backup') })}
        </Text>
      )}
      {jobs.length > 0 && (
        <RowList label={t('backups.NextWork')} style={{ maxHeight: '50dvh', overflow: 'auto' }}>
          {jobs.map((job) => (
            <PlannedJobRow key={JSON.stringify(job)} job={job} hasNode={hasNodes} />
          ))}
        </RowList>
      )}
    </>
  )
}

function PlannedJobRow({ job: { type, at, name, server, node }, hasNode }: { job: PlannedJob; hasNode: boolean }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const path = type === 'backup' ? 'tasks' : 'backups'
  return (
    <Group component="li" px="md" py="xs" gap="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text component="time" dateTime={at} w="11rem" c="dimmed">
        {dateTime(Date.parse(at))}
      </Text>
      <Stack gap={0} flex={1} miw="9rem">
        {server && (
          <Anchor component={Link} to={`/server/${server.id}?tab=${path}`} fw={500}>
            <bdi>{server.name}</bdi>
          </Anchor>
        )}
        <Group gap="2xs" fz={server ? 'xs' : undefined} c={server ? 'dimmed' : undefined}>
          <span>{t(labels[type])}</span>
          {name !== undefined && <bdi>{name}</bdi>}
        </Group>
      </Stack>
      {hasNode && (
        <Anchor component={Link} to={`/node/${node.id}`} fz="xs">
          <bdi>{node.name}</bdi>
        </Anchor>
      )}
    </Group>
  )
}
