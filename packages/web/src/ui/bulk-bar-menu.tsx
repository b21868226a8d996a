import { Menu } from '@mantine/core'
import { type BulkBarAction, colorOf } from './bulk-bar-action.ts'
import { FramedMenu, type MenuFrame } from './framed-menu.tsx'

interface BulkBarMenuProps {
  readonly frame: MenuFrame
  readonly actions: readonly BulkBarAction[]
}

/** The actions of a `BulkBar` that have no button. */
export function BulkBarMenu({ frame, actions }: BulkBarMenuProps) {
  return (
    <FramedMenu frame={frame} position="bottom-end" width={220}>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item
            key={action.name}
            c={colorOf(action)}
            leftSection={<action.icon size={17} aria-hidden />}
            onClick={action.run}
          >
            {action.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </FramedMenu>
  )
}
