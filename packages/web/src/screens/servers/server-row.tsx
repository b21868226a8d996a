import { IconTerminal2 } from '@tabler/icons-react'
import { memo } from 'react'
import { Link } from 'react-router'
import type { PowerAction } from '../../features/power/power.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import controls from '../../ui/lists/row-controls.module.css'
import { columns, type RowCells } from './columns.tsx'
import { type ServerRow, useAvailableActions } from './list/server-list.ts'
import { isRowAction, PowerIconButton } from './power-icon-button.tsx'
import { ServerMenu } from './server-menu.tsx'
import classes from './servers.module.css'

interface ServerTableRowProps extends RowCells {
  readonly isSelected: boolean
  /** The place in a list that renders only some rows. */
  readonly 'aria-rowindex': number | undefined
}

/** A row of plain elements that is rendered only when it looks different, so that long lists scroll smoothly. */
export const ServerTableRow = memo(function ServerTableRow(row: ServerTableRowProps) {
  const { t, server, status, usage, can, actions, isSelected } = row
  const { id, name } = server
  const available = useAvailableActions({ server, status, reported: usage?.status, can })
  return (
    <tr aria-rowindex={row['aria-rowindex']} data-selected={isSelected || undefined}>
      <SelectCell {...{ t, id, name, isSelected, actions }} />
      {Object.entries(columns).map(([column, { className, render }]) => (
        <td key={column} className={className}>
          {render(row)}
        </td>
      ))}
      <ActionsCell {...{ t, server, status, available, can, actions }} />
    </tr>
  )
})

interface SelectCellProps extends Pick<ServerTableRowProps, 't' | 'isSelected' | 'actions'> {
  readonly id: string
  readonly name: string
}

const SelectCell = memo(function SelectCell({ t, id, name, isSelected, actions }: SelectCellProps) {
  return (
    <td className={classes.select}>
      <label>
        <input
          type="checkbox"
          className={controls.checkbox}
          aria-label={t('common.SelectNamed', { name })}
          checked={isSelected}
          onChange={({ nativeEvent }) => actions.toggle(id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
      </label>
    </td>
  )
})

interface ActionsCellProps extends Pick<ServerRow, 'server' | 'status' | 'can' | 'actions'> {
  readonly t: TFunction
  readonly available: readonly PowerAction[]
}

const ActionsCell = memo(function ActionsCell({ t, server, status, available, can, actions }: ActionsCellProps) {
  const { id, name } = server
  return (
    <td className={classes.actions}>
      <span className={controls.buttons}>
        {available.filter(isRowAction).map((action) => (
          <PowerIconButton key={action} {...{ t, action, status, name }} onClick={() => actions.run(server, action)} />
        ))}
        {can(server, 'viewServerConsole') && (
          <Link
            to={`/server/${id}?tab=console`}
            className={`${controls.icon} ${classes.console}`}
            aria-label={t('servers.OpenConsoleOf', { name })}
            data-tip={t('servers.OpenConsole')}
          >
            <IconTerminal2 size={17} aria-hidden />
          </Link>
        )}
        <ServerMenu {...{ t, server, status, available, can, actions }} />
      </span>
    </td>
  )
})
