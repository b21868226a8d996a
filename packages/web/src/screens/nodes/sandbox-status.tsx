import type { NodeIsolation } from '@innkeeper/contract/nodes'
import { Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { missingReason } from '../../ui/missing-reason.ts'
import records from '../../ui/records.module.css'

const features = ['user', 'hiddenProcesses', 'noNewPrivileges', 'memory', 'cpu', 'processes', 'disk'] as const

/** Which isolation between its servers a node enforces, and why not. Nothing when the node does not report it. */
export function SandboxStatus({ isolation }: { isolation: NodeIsolation | undefined }) {
  const t = useT()
  if (!isolation) return null
  const { user, hiddenProcesses, noNewPrivileges, limits } = isolation
  const abilities = { user, hiddenProcesses, noNewPrivileges, ...limits }
  const rows = features.flatMap((name) => (abilities[name] ? [{ name, ...abilities[name] }] : []))

  return (
    <Stack component="ul" className={records.list} gap="2xs" fz="compact" aria-label={t('nodes.Isolation')}>
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
