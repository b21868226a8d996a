import { ActionIcon } from '@mantine/core'
import { actionLabels, type PowerAction } from '../../features/power/power.ts'
import { powerIcons } from '../../features/power/power-icons.ts'
import { useT } from '../../i18n/i18n.tsx'
import type { TranslationKey } from '../../i18n/translation-key.ts'

/** The actions with a button in the row; Kill and Install are in its menu. */
type RowAction = Exclude<PowerAction, 'kill' | 'install'>
export const isRowAction = (action: PowerAction): action is RowAction => action !== 'kill' && action !== 'install'

const labels: Readonly<Record<RowAction, TranslationKey>> = {
  start: 'servers.StartNamed',
  restart: 'servers.RestartNamed',
  stop: 'servers.StopNamed',
  cancelInstall: 'servers.CancelInstallNamed',
}

interface PowerIconButtonProps {
  readonly action: RowAction
  /** Name of the server. */
  readonly name: string
  readonly size?: number
  readonly onClick: () => void
}

export function PowerIconButton({ action, name, size = 30, onClick }: PowerIconButtonProps) {
  const t = useT()
  const Icon = powerIcons[action]
  return (
    <ActionIcon
      size={size}
      aria-label={t(labels[action], { name })}
      data-tip={t(actionLabels[action])}
      onClick={onClick}
    >
      <Icon size={size > 40 ? 20 : 17} aria-hidden />
    </ActionIcon>
  )
}
