import { Menu } from '@mantine/core'
import { ControlledMenu, type MenuControl } from '../menus/controlled-menu.tsx'
import { type BulkBarAction, getActionColor } from './bulk-bar-action.ts'

/** The actions of a `BulkBar` that have no button. */
export function BulkBarMenu({ frame, actions }: { frame: MenuControl; actions: readonly BulkBarAction[] }) {
  return (
    <ControlledMenu control={frame} position="bottom-end" width={220}>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item
            key={action.name}
            c={getActionColor(action)}
            leftSection={<action.icon size={17} aria-hidden />}
            onClick={action.run}
          >
            {action.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </ControlledMenu>
  )
}
