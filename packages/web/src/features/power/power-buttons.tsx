import { Box, Button, Divider, Group, Menu, Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { InfoTooltip } from '../../ui/feedback/info-tooltip.tsx'
import { StatusIcon } from '../../ui/feedback/status.tsx'
import { useNow } from '../../ui/hooks/use-now.ts'
import { ConfirmPopover } from '../../ui/overlays/confirm-popover.tsx'
import classes from './power.module.css'
import { type PowerAction, powerDisplays } from './power.ts'
import { useConfirmPower } from './use-confirm-power.ts'
import type { Power, PowerControl } from './use-power.ts'

/** The power buttons in the header of a server, and what comes after Restart. */
export function PowerButtons({ power, children }: { power: Power; children?: ReactNode }) {
  return (
    <Group gap="xs">
      {power.controls.map((control) => (
        <Fragment key={getSlot(control.action)}>
          <PowerButton control={control} power={power} />
          {getSlot(control.action) === 'restart' && children}
        </Fragment>
      ))}
    </Group>
  )
}

/** The power buttons above the console of a phone, without Install. */
export function PowerRow({ power }: { power: Power }) {
  const controls = power.controls.filter(({ action }) => action !== 'install')
  if (controls.length === 0) return null
  return (
    <Group className={classes.row} gap="xs" px="sm" align="stretch" data-keep-clear>
      {controls.map((control) => (
        <PowerButton key={getSlot(control.action)} control={control} power={power} inRow />
      ))}
    </Group>
  )
}

/** Start and Restart share a key: one button that changes and keeps the focus. */
const getSlot = (action: PowerAction) => (action === 'start' ? 'restart' : action)

const isDestructive = (action: PowerAction) => action === 'kill' || action === 'cancelInstall'

function PowerButton({ control, power, inRow = false }: { control: PowerControl; power: Power; inRow?: boolean }) {
  const t = useT()
  const { action, label, disabledReason, isBusy, run } = control
  const { Icon } = powerDisplays[action]
  const reason = disabledReason && t(disabledReason)
  const button = (
    <Button
      variant={action === 'install' ? 'subtle' : 'default'}
      color={isDestructive(action) ? 'red' : 'gray'}
      className={isDestructive(action) ? classes.destructive : action === 'install' ? classes.install : undefined}
      {...(inRow ? { classNames: { inner: classes.rowInner ?? '' } } : {})}
      leftSection={isBusy ? <StatusIcon state={power.displayStatus} size={15} /> : <Icon size={17} aria-hidden />}
      aria-busy={isBusy || undefined}
      // Without `disabled` the button stays focusable, so that its tooltip can be reached with the keyboard.
      data-disabled={disabledReason !== undefined || undefined}
      aria-disabled={disabledReason !== undefined || undefined}
      aria-haspopup={action === 'kill' || action === 'install' ? 'dialog' : undefined}
      onClick={run}
    >
      {label}
    </Button>
  )
  const withTooltip = (
    <InfoTooltip label={reason} disabled={!reason || isBusy}>
      {button}
    </InfoTooltip>
  )
  if (action === 'install') {
    return (
      <>
        <Divider orientation="vertical" h="1.75rem" mx="2xs" style={{ alignSelf: 'center' }} />
        {withTooltip}
      </>
    )
  }
  if (action !== 'kill') return withTooltip
  return (
    <ConfirmPopover
      question={t('server.PowerKillQuestion')}
      action={label}
      opened={power.isKillConfirmOpen}
      onChange={power.setKillConfirmOpen}
      onConfirm={power.kill}
    >
      {inRow ? (
        button
      ) : (
        <Box component="span" display="inline-flex">
          {withTooltip}
        </Box>
      )}
    </ConfirmPopover>
  )
}

interface PowerMenuItemsProps {
  readonly power: Power
  readonly serverName: string
  /** Shows only these actions. */
  readonly only?: readonly PowerAction[] | undefined
}

/** The power actions as items of a menu, where there is no room for buttons. */
export function PowerMenuItems({ power, serverName, only }: PowerMenuItemsProps) {
  const t = useT()
  const confirmPower = useConfirmPower()
  const kill = async () => {
    if (await confirmPower({ name: serverName }, 'kill', undefined)) power.kill()
  }
  return power.controls
    .filter(({ action }) => !only || only.includes(action))
    .map(({ action, label, disabledReason, run }) => {
      const { Icon } = powerDisplays[action]
      return (
        <Menu.Item
          key={action}
          {...(action === 'kill' ? { c: 'var(--ik-offline)' } : {})}
          disabled={disabledReason !== undefined}
          leftSection={<Icon size={18} aria-hidden />}
          onClick={action === 'kill' ? () => void kill() : run}
        >
          {label}
          {disabledReason && <Text variant="note">{t(disabledReason)}</Text>}
        </Menu.Item>
      )
    })
}

/** "Stopping for 12 sec", updated every second. */
export function StoppingTimer({ since }: { since: string }) {
  const t = useT()
  const time = Date.parse(since)
  const { longDuration } = useFormatters()
  const duration = longDuration(useNow(time, 1_000) - time)
  return (
    <Text span variant="note" className={classes.timer}>
      {t('server.PowerStoppingFor', { duration })}
    </Text>
  )
}
