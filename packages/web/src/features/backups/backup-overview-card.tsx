import { dismissBackupFailure } from '@innkeeper/contract/backups/backups'
import { type BackupFailure, type BackupOverview, getBackupOverview } from '@innkeeper/contract/backups/node-backups'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Anchor, Group, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useId } from 'react'
import { Link } from 'react-router'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'

const pollMs = 60_000

const failureTexts = {
  create: 'backups.FailedCreate',
  verify: 'backups.FailedVerify',
  copy: 'backup-targets.CopyFailed',
} as const satisfies Record<BackupFailure['type'], TranslationKey>

/** The space of backups with its sum, the servers that need most, and what failed: on one node, or on all. */
export function BackupOverviewCard({ node }: { node?: number }) {
  const t = useT()
  const query = useApiQuery(getBackupOverview, { query: { node } }, { refetchInterval: pollMs })
  return (
    <Paper>
      <CardHeader title={t('server.TabBackups')}>{query.data && <Sum nodes={query.data.nodes} />}</CardHeader>
      <QueryState query={query} errorTitle={t('backups.LoadFailed')}>
        {(overview) => <Overview overview={overview} hasNodes={node === undefined} />}
      </QueryState>
    </Paper>
  )
}

function Sum({ nodes }: Pick<BackupOverview, 'nodes'>) {
  const t = useT()
  const { fileSize } = useFormatters()
  const bytes = nodes.reduce((sum, { usage }) => sum + (usage?.bytes ?? 0), 0)
  const size = fileSize(bytes)
  if (nodes.every(({ usage }) => usage === undefined)) return <Text c="dimmed">{t('status.unknown')}</Text>
  if (bytes === 0 && nodes.some(({ usage }) => usage && isMeasuring(usage)))
    return <Text c="dimmed">{t('backups.Measuring')}</Text>
  const isKnown = nodes.every(({ usage }) => usage?.unmeasured === 0)
  return <Text>{t(isKnown ? 'backups.TotalSpace' : 'backups.KnownSpace', { size })}</Text>
}

/** Whether there are backups, and the space of none is known yet. */
const isMeasuring = ({ bytes, unmeasured }: NonNullable<BackupOverview['nodes'][number]['usage']>): boolean =>
  unmeasured > 0 && bytes === 0

interface OverviewProps {
  readonly overview: BackupOverview
  /** Whether it is about several nodes. */
  readonly hasNodes: boolean
}

function Overview({ overview: { nodes, largest, failures }, hasNodes }: OverviewProps) {
  const t = useT()
  const { list, number, fileSize } = useFormatters()
  const missing = nodes.filter(({ usage }) => usage === undefined)
  return (
    <Stack gap="lg" py="md">
      {missing.length > 0 && (
        <Stack px="md">
          <Alert type="warning">{t('backups.NodesMissing', { names: list(missing.map(({ name }) => name)) })}</Alert>
        </Stack>
      )}
      {hasNodes && <NodeTable nodes={nodes} />}
      {largest.length > 0 && (
        <Section title={t('backups.Largest')}>
          {largest.map(({ server, node, backups, bytes }) => (
            <Row key={server.id} server={server} node={hasNodes ? node : undefined}>
              <Text c="dimmed" w="3rem" ta="end">
                {number(backups)}
              </Text>
              <Text w="6.75rem" ta="end">
                {fileSize(bytes)}
              </Text>
            </Row>
          ))}
        </Section>
      )}
      {failures.length === 0 && missing.length === 0 && (
        <Text px="md" c="dimmed">
          {t(nodes.some(({ usage }) => usage && usage.backups > 0) ? 'backups.NoFailures' : 'backups.Empty')}
        </Text>
      )}
      {failures.length > 0 && (
        <Section title={t('backups.Failures')}>
          {failures.map((failure) => (
            <FailureRow key={failure.server.id} failure={failure} hasNode={hasNodes} />
          ))}
        </Section>
      )}
    </Stack>
  )
}

function NodeTable({ nodes }: Pick<BackupOverview, 'nodes'>) {
  const t = useT()
  const { number, fileSize } = useFormatters()
  return (
    <Table layout="fixed" horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('common.Node')}</Table.Th>
          <Table.Th w="6.5rem" ta="end">
            {t('server.TabBackups')}
          </Table.Th>
          <Table.Th w="7.5rem" ta="end">
            {t('files.Size')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {nodes.map(({ id, name, usage }) => (
          <Table.Tr key={id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Anchor component={Link} to={`/node/${id}`} c="var(--ik-text)" fw={500}>
                <bdi>{name}</bdi>
              </Anchor>
            </Table.Td>
            <Table.Td ta="end" c="dimmed">
              {usage && number(usage.backups)}
            </Table.Td>
            <Table.Td ta="end" {...(!usage && { c: 'var(--ik-warning)' })}>
              {usage && (isMeasuring(usage) ? t('backups.Measuring') : fileSize(usage.bytes))}
              {!usage && t('status.unknown')}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={3} id={id} px="md" pb="2xs">
        {title}
      </Title>
      <RowList label={title}>{children}</RowList>
    </section>
  )
}

interface RowProps {
  readonly server: BackupOverview['largest'][number]['server']
  readonly node: BackupOverview['largest'][number]['node'] | undefined
  readonly children: ReactNode
}

function Row({ server, node, children }: RowProps) {
  return (
    <Group component="li" px="md" py="xs" gap="sm" style={{ overflowWrap: 'anywhere' }}>
      <Stack gap={0} flex={1} miw="7rem">
        <Anchor component={Link} to={`/server/${server.id}?tab=backups`} fw={500}>
          <bdi>{server.name}</bdi>
        </Anchor>
        {node && (
          <Anchor component={Link} to={`/node/${node.id}`} fz="xs">
            <bdi>{node.name}</bdi>
          </Anchor>
        )}
      </Stack>
      {children}
    </Group>
  )
}

interface FailureRowProps {
  readonly failure: BackupOverview['failures'][number]
  readonly hasNode: boolean
}

function FailureRow({ failure: { server, node, type, at, error }, hasNode }: FailureRowProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const canDismiss = useCan('servers.admin')
  const dismiss = useApiMutation(dismissBackupFailure, { invalidates: [getBackupOverview] })
  return (
    <Row server={server} node={hasNode ? node : undefined}>
      <Stack gap={0} flex="2 1 14rem">
        <Text c="var(--ik-offline)">{t(failureTexts[type], { reason: errorMessage(t, refusalFrom({ error })) })}</Text>
        <Text component="time" dateTime={at} variant="caption">
          {dateTime(Date.parse(at))}
        </Text>
      </Stack>
      {canDismiss && (
        <IconButton
          label={t('uploads.DismissOf', { name: server.name })}
          loading={dismiss.isPending}
          onClick={() => dismiss.mutate({ params: { id: server.id } })}
        >
          <IconX size={16} aria-hidden />
        </IconButton>
      )}
    </Row>
  )
}
