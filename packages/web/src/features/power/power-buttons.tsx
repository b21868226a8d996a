import { Button, Menu, Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { ConfirmPopover, useConfirm } from '../../ui/confirm.tsx'
import { StatusIcon } from '../../ui/status.tsx'
import classes from './power.module.css'
import type { PowerAction } from './power.ts'
import { powerIcons } from './power-icons.ts'
import type { Control, Power } from './use-power.tsx'

/** The controls of a server in its header. */
export function PowerButtons({ power }: { power: Power }) {
  return (
    <div className={classes.buttons}>
      {power.controls.map((control) => (
        <PowerButton key={slotOf(control.action)} control={control} power={power} />
      ))}
    </div>
  )
}

/** The controls that an incident needs, above a phone's console. */
export function PowerRow({ power }: { power: Power }) {
  const controls = power.controls.filter(({ action }) => action !== 'install')
  if (controls.length === 0) return null
  return (
    <div className={classes.row} data-keep-clear>
      {controls.map((control) => (
        <PowerButton key={slotOf(control.action)} control={control} power={power} isPlain />
      ))}
    </div>
  )
}

/** Start and Restart are one button that changes; it must not lose the focus when it does. */
const slotOf = (action: PowerAction) => (action === 'start' ? 'restart' : action)

function PowerButton({ control, power, isPlain = false }: { control: Control; power: Power; isPlain?: boolean }) {
  const t = useT()
  const { action, label, obstacle, isBusy, run } = control
  const Icon = powerIcons[action]
  const reason = obstacle && t(`server.PowerObstacle${obstacle}`)
  const button = (
    <Button
      variant={action === 'install' ? 'subtle' : 'default'}
      color={action === 'kill' || action === 'cancelInstall' ? 'red' : 'gray'}
      className={
        action === 'kill' || action === 'cancelInstall'
          ? classes.kill
          : action === 'install'
            ? classes.install
            : undefined
      }
      leftSection={isBusy ? <StatusIcon state={power.state} size={15} /> : <Icon size={17} aria-hidden />}
      aria-busy={isBusy || undefined}
      // A disabled control would hide its reason from the keyboard.
      data-disabled={obstacle !== undefined || undefined}
      aria-disabled={obstacle !== undefined || undefined}
      aria-haspopup={action === 'kill' || action === 'install' ? 'dialog' : undefined}
      onClick={run}
    >
      {label}
    </Button>
  )
  const explained = (
    <Tooltip label={reason} disabled={!reason || isBusy}>
      {button}
    </Tooltip>
  )
  if (action === 'install') {
    return (
      <>
        <span className={classes.rule} />
        {explained}
      </>
    )
  }
  if (action !== 'kill') return explained
  return (
    <ConfirmPopover
      question={t('server.PowerKillQuestion')}
      action={t('server.PowerKill')}
      opened={power.isAskingToKill}
      onChange={power.askToKill}
      onConfirm={power.kill}
    >
      {isPlain ? button : <span className={classes.anchor}>{explained}</span>}
    </ConfirmPopover>
  )
}

/** The controls as entries of a menu, where there is no room for buttons. */
export function PowerMenuItems({ power, only }: { power: Power; only?: readonly PowerAction[] }) {
  const t = useT()
  const confirm = useConfirm()
  const kill = async () => {
    const question = { title: t('server.PowerKillTitle'), body: t('server.PowerKillQuestion') }
    if (await confirm({ ...question, action: t('server.PowerKill'), danger: true })) power.kill()
  }
  return power.controls
    .filter(({ action }) => !only || only.includes(action))
    .map(({ action, label, obstacle, run }) => {
      const Icon = powerIcons[action]
      return (
        <Menu.Item
          key={action}
          {...(action === 'kill' ? { color: 'red' } : {})}
          disabled={obstacle !== undefined}
          leftSection={<Icon size={18} aria-hidden />}
          onClick={action === 'kill' ? () => void kill() : run}
        >
          {label}
        </Menu.Item>
      )
    })
}

/** "Stopping for 12 s": how long a person has been waiting, and that Kill is there. */
export function StopClock({ since }: { since: string }) {
  const t = useT()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000))
  return <span className={classes.clock}>{t('server.PowerStoppingFor', { seconds })}</span>
}
