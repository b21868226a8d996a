import type { NodeState } from '@innkeeper/contract/nodes'
import { UnstyledButton } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { InfoPopover } from '../../ui/info-popover.tsx'
import { maxChecks } from './node-checks.ts'
import classes from './nodes.module.css'

/** The latest checks of a node as bars: high and green when it was online, low and red when it was offline. */
export function CheckStrip({ checks }: { checks: readonly NodeState[] }) {
  const t = useT()
  const online = checks.filter((state) => state === 'online').length
  const label = t('nodes.Checks', { count: checks.length, online })
  const bars = [...Array.from({ length: maxChecks - checks.length }, () => undefined), ...checks]
  return (
    <InfoPopover
      text={label}
      renderButton={(props) => (
        <UnstyledButton aria-label={label} className={classes.checks} {...props}>
          {bars.map((state, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar has no identity but its position
            <span key={index} data-state={state} />
          ))}
        </UnstyledButton>
      )}
    />
  )
}
