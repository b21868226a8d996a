import type { Node, NodeIsolation } from '@innkeeper/contract/nodes/nodes'
import { DataList, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { getMeters, Meter } from '../../features/nodes/meters.tsx'
import { LastSeen } from '../../features/nodes/node-status.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { environmentName } from '../../ui/names/environment-name.ts'
import { missingReason } from '../../ui/text/missing-reason.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'

/** How busy the machine of a node is, what it is, and what it enforces. */
export function MachineCard({ node }: { node: Node }) {
  const t = useT()
  const { fileSize, list, percent } = useFormatters()
  const { machine, features } = node.health ?? {}
  if (!machine) return null
  // Then these are the values of the last report.
  const isOffline = node.health?.state === 'offline'
  const usage = ({ used, total }: { used: number; total: number }) =>
    t('nodes.UsedOf', { used: fileSize(used, { decimals: 1 }), total: fileSize(total, { decimals: 1 }) })
  const texts = {
    cpu: t('nodes.CpuValue', { used: percent(machine.cpu.used), count: machine.cpu.cores }),
    memory: usage(machine.memory),
    disk: usage(machine.disk),
  }
  return (
    <Paper>
      <CardHeader title={t('nodes.Machine')}>
        {isOffline && (
          <Text variant="note">
            <LastSeen health={node.health} />
          </Text>
        )}
      </CardHeader>
      <Stack p="md" gap="lg">
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl" verticalSpacing="sm" opacity={isOffline ? 0.5 : undefined}>
          {getMeters(machine).map(({ name, label, share }) => (
            <Meter key={name} label={t(label)} share={share} text={texts[name]} />
          ))}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <DataList labelWidth="8rem" gap="2xs" fz="compact">
            {features && <Fact label={t('nodes.System')}>{`${features.os} ${features.arch}`}</Fact>}
            {features && <Fact label={t('nodes.Version')}>{features.version}</Fact>}
            {features && (
              <Fact label={t('nodes.Environments')}>
                {list(features.environments.map((type) => environmentName(t, type)))}
              </Fact>
            )}
            <Fact label={t('nodes.Started')}>
              <RelativeTime time={machine.startedAt} />
            </Fact>
          </DataList>
          <SandboxStatus isolation={features?.isolation} />
        </SimpleGrid>
      </Stack>
    </Paper>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue>{children}</DataList.ItemValue>
    </DataList.Item>
  )
}

const features = [
  'user',
  'hiddenProcesses',
  'privateTemporaryFolders',
  'noNewPrivileges',
  'memory',
  'cpu',
  'processes',
  'disk',
] as const

/** Which isolation between its servers a node enforces, and why not. Nothing when the node does not report it. */
function SandboxStatus({ isolation }: { isolation: NodeIsolation | undefined }) {
  const t = useT()
  if (!isolation) return null
  const { limits, ...others } = isolation
  const abilities = { ...others, ...limits }
  const rows = features.flatMap((name) => (abilities[name] ? [{ name, ...abilities[name] }] : []))

  return (
    <Stack component="ul" gap="2xs" fz="compact" aria-label={t('nodes.Isolation')}>
      {rows.map(({ name, enforced, ...ability }) => (
        <Group component="li" key={name} gap="xs" wrap="nowrap" align="flex-start">
          {enforced ? (
            <IconCircleCheck size={16} color="var(--ik-online)" style={iconStyle} aria-hidden />
          ) : (
            <IconAlertTriangle size={16} color="var(--ik-warning)" style={iconStyle} aria-hidden />
          )}
          <div>
            {t(enforced ? `nodes.Enforced_${name}` : `nodes.NotEnforced_${name}`)}
            {ability.reason !== undefined && (
              <Text inherit c="dimmed">
                {missingReason(t, ability)}
              </Text>
            )}
          </div>
        </Group>
      ))}
    </Stack>
  )
}

const iconStyle = { flex: 'none', marginBlockStart: 2 }
