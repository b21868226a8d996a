import type { NodeState } from '@innkeeper/contract/nodes/nodes'
import { Box, Flex, UnstyledButton } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { InfoPopover } from '../../ui/feedback/info-popover.tsx'
import { maxChecks } from './node-checks.ts'

/** Height and color of a bar. */
const looks = {
  online: ['100%', 'var(--ik-online)'],
  degraded: ['70%', 'var(--ik-warning)'],
  offline: ['45%', 'var(--ik-offline)'],
  waiting: ['25%', 'var(--ik-unknown)'],
  none: ['25%', 'var(--ik-border)'],
} as const

interface CheckStripProps {
  /** Of the node. */
  readonly name: string
  readonly checks: readonly NodeState[]
}

/** The latest checks of a node as bars: high and green when it was online, low and red when it was offline. */
export function CheckStrip({ name, checks }: CheckStripProps) {
  const t = useT()
  const online = checks.filter((state) => state === 'online').length
  const [only] = checks
  const label =
    checks.length === 1 && only !== undefined
      ? t('nodes.LastCheck', { state: t(`nodes.State_${only}`) })
      : t('nodes.Checks', { count: checks.length, online })
  const bars = [...Array.from({ length: maxChecks - checks.length }, () => 'none' as const), ...checks]
  return (
    <InfoPopover
      text={label}
      renderButton={(props) => (
        <UnstyledButton
          aria-label={t('nodes.NameWithState', { name, state: label })}
          display="flex"
          mih="var(--ik-touch)"
          style={{ alignItems: 'center' }}
          {...props}
        >
          <Flex component="span" w={{ base: 98, sm: 137 }} h={22} gap="2%" align="flex-end">
            {bars.map((state, index) => {
              const [height, color] = looks[state]
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar has no identity but its position
              return <Box component="span" key={index} flex={1} h={height} bg={color} bdrs={1} />
            })}
          </Flex>
        </UnstyledButton>
      )}
    />
  )
}
