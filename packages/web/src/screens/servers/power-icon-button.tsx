import { actionLabels, type PowerAction } from '../../features/power/power.ts'
import { powerIcons } from '../../features/power/power-icons.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import controls from '../../ui/row-controls.module.css'

/** The actions with a button in the row; Kill and Install are in its menu. */
type RowAction = Exclude<PowerAction, 'kill' | 'install'>
export const isRowAction = (action: PowerAction): action is RowAction => action !== 'kill' && action !== 'install'

interface PowerIconButtonProps {
  readonly t: TFunction
  readonly action: RowAction
  /** Name of the server. */
  readonly name: string
  readonly size?: number
  readonly onClick: () => void
}

export function PowerIconButton({ t, action, name, size = 17, onClick }: PowerIconButtonProps) {
  const Icon = powerIcons[action]
  return (
    <button
      type="button"
      className={controls.icon}
      aria-label={t(`servers.Named_${action}`, { name })}
      data-tip={t(actionLabels[action])}
      onClick={onClick}
    >
      <Icon size={size} aria-hidden />
    </button>
  )
}
