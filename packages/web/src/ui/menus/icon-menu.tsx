import { ActionIcon, type ActionIconProps, Menu, type MenuProps } from '@mantine/core'
import { IconDots, type TablerIcon } from '@tabler/icons-react'

interface IconMenuProps extends MenuProps {
  /** Name of the button. */
  readonly label: string
  /** Default: dots. */
  readonly icon?: TablerIcon
  /** Size of the button, in pixels; 44 on a phone. */
  readonly size?: number
  readonly button?: ActionIconProps
}

/** An icon as a button that opens a menu. Its children are the items. */
export function IconMenu({ label, icon, size = 32, button, children, ...menu }: IconMenuProps) {
  const isLarge = size >= 44
  const Icon = icon ?? IconDots
  return (
    <Menu position="bottom-end" {...menu}>
      <Menu.Target>
        <ActionIcon size={size} aria-label={label} {...button}>
          <Icon size={isLarge ? 21 : 17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
