import {
  getLivenessReport,
  type LivenessReport,
  listLivenessReports,
  type ProcessThreads,
} from '@innkeeper/contract/servers/liveness-reports'
import { Group, Modal, Stack, Text, Title } from '@mantine/core'
import { IconHeartbeat } from '@tabler/icons-react'
import { type ReactNode, useId } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ListAndDetails } from '../../ui/lists/list-and-details.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { CodeBlock } from '../../ui/text/code-block.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { countByState } from './thread-states.ts'

interface ReportsDialogProps {
  readonly server: string
  readonly onClose: () => void
}

/** What the node saw each time a server did not respond. */
export function ReportsDialog({ server, onClose }: ReportsDialogProps) {
  const t = useT()
  const query = useApiQuery(listLivenessReports, { params: { id: server } }, { staleTime: 0 })
  const { dateTime } = useFormatters()
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('liveness.Reports')}
      variant="phone-full-screen"
      size="min(70rem, calc(100vw - 60px))"
    >
      <QueryState
        query={query}
        errorTitle={t('liveness.NotLoaded')}
        skeletonHeight="11rem"
        isEmpty={(reports) => reports.length === 0}
        empty={
          <EmptyState icon={IconHeartbeat} title={t('liveness.Empty')}>
            {t('liveness.EmptyAbout')}
          </EmptyState>
        }
      >
        {(reports) => (
          <ListAndDetails
            label={t('liveness.Reports')}
            items={reports}
            getKey={({ id }) => id}
            renderEntry={({ at, action }) => ({
              label: dateTime(Date.parse(at)),
              description: t(`liveness.Action_${action}`),
            })}
            renderDetails={({ id }) => <ReportDetails server={server} id={id} />}
          />
        )}
      </QueryState>
    </Modal>
  )
}

function ReportDetails({ server, id }: { readonly server: string; readonly id: string }) {
  const t = useT()
  const query = useApiQuery(getLivenessReport, { params: { id: server, report: id } })
  return (
    <QueryState query={query} errorTitle={t('liveness.NotLoaded')} skeletonHeight="20rem">
      {(report) => <Report report={report} />}
    </QueryState>
  )
}

function Report({ report: { checks, usage, processes, lines, threadDump } }: { readonly report: LivenessReport }) {
  const t = useT()
  const { percent, fileSize } = useFormatters()
  const { cpu, memory, memoryMax } = usage
  return (
    <Stack gap="md">
      <Section title={t('liveness.Checks')}>
        <Text style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {checks.map(({ detail }) => detail).join('\n')}
        </Text>
      </Section>
      <Section title={t('liveness.Usage')}>
        <Text>
          {t('liveness.UsageText', { cpu: percent(cpu), memory: fileSize(memory), memoryMax: fileSize(memoryMax) })}
        </Text>
      </Section>
      {processes.length > 0 && (
        <Section title={t('liveness.Processes')}>
          {processes.map((process) => (
            <ProcessLine key={process.pid} process={process} />
          ))}
        </Section>
      )}
      {threadDump !== undefined && (
        <Section
          title={t('liveness.ThreadDump')}
          action={<CopyButton value={threadDump} label={t('liveness.CopyDump')} />}
        >
          <CodeBlock mah="40dvh">{threadDump}</CodeBlock>
        </Section>
      )}
      <Section title={t('liveness.LastLines')}>
        <CodeBlock mah="40dvh">{lines}</CodeBlock>
      </Section>
    </Stack>
  )
}

interface SectionProps {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

function Section({ title, action, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Group gap="xs" mb="2xs">
        <Title id={id} order={3} fz="sm">
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </section>
  )
}

function ProcessLine({ process: { pid, name, threads } }: { readonly process: ProcessThreads }) {
  const t = useT()
  const { facts } = useFormatters()
  return (
    <Text style={{ overflowWrap: 'anywhere' }}>
      {t('liveness.Process', { name, pid: String(pid) })}{' '}
      <Text span variant="note">
        {facts([...countByState(threads)].map(([state, count]) => t(`liveness.Threads_${state}`, { count })))}
      </Text>
    </Text>
  )
}
