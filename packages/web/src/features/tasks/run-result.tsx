import { Group, Loader, Text } from '@mantine/core'
import {
  IconBan,
  IconCircleCheck,
  IconCircleX,
  IconPlayerSkipForward,
  IconPlayerStop,
  IconPlugX,
} from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import type { RunResult } from './messages.ts'

const looks = {
  running: { Icon: undefined, color: 'var(--ik-info)' },
  done: { Icon: IconCircleCheck, color: 'var(--ik-online)' },
  failed: { Icon: IconCircleX, color: 'var(--ik-offline)' },
  refused: { Icon: IconBan, color: 'var(--ik-warning)' },
  cancelled: { Icon: IconPlayerStop, color: 'var(--ik-unknown)' },
  skipped: { Icon: IconPlayerSkipForward, color: 'var(--ik-unknown)' },
  interrupted: { Icon: IconPlugX, color: 'var(--ik-warning)' },
} as const satisfies Record<RunResult, unknown>

/** The result of a run as icon and text. */
export function RunResultLabel({ result }: { result: RunResult }) {
  const t = useT()
  const { Icon, color } = looks[result]
  return (
    <Group gap="xs" wrap="nowrap" c={color}>
      {Icon ? <Icon size={15} aria-hidden /> : <Loader size={15} color={color} aria-hidden />}
      <Text span inherit fw={500} fz="compact">
        {t(`tasks.Result_${result}`)}
      </Text>
    </Group>
  )
}
