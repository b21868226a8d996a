import { getNamedPowerLabel, getPowerLabel, type PowerAction, powerDisplays } from '../../features/power/power.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import type { DisplayStatus } from '../../ui/feedback/status.tsx'
import controls from '../../ui/lists/row-controls.module.css'

/** The actions with a button in the row; Kill and Install are in its menu. */
type RowAction = Exclude<PowerAction, 'kill' | 'install'>
export const isRowAction = (action: PowerAction): action is RowAction => action !== 'kill' && action !== 'install'

interface PowerIconButtonProps {
  readonly t: TFunction
  readonly action: RowAction
  readonly status: DisplayStatus
  /** Name of the server. */
  readonly name: string
  readonly size?: number
  readonly onClick: () => void
}

export function PowerIconButton({ t, action, status, name, size = 17, onClick }: PowerIconButtonProps) {
  const { Icon } = powerDisplays[action]
  return (
    <button
      type="button"
      className={controls.icon}
      aria-label={t(getNamedPowerLabel(action, status), { name })}
      data-tip={t(getPowerLabel(action, status))}
      onClick={onClick}
    >
      <Icon size={size} aria-hidden />
    </button>
  )
}
