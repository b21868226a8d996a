import { Menu, type MenuProps } from '@mantine/core'
import { type Ref, useEffect, useEffectEvent, useImperativeHandle } from 'react'

/** What a `LazyMenu` passes to its menu. */
export interface MenuControl {
  readonly id: string
  /** The button that opens it. */
  readonly target: HTMLElement
  readonly opened: boolean
  readonly onChange: (isOpen: boolean) => void
}

interface ControlledMenuProps extends MenuProps {
  readonly control: MenuControl
}

/** The menu of a `LazyMenu`, which opens as soon as it was loaded. */
export function ControlledMenu({ control: { target, ...state }, children, ...menu }: ControlledMenuProps) {
  return (
    <Menu {...menu} {...state}>
      <Menu.Target>
        <MountedTarget element={target} onMount={() => state.onChange(true)} />
      </Menu.Target>
      {children}
    </Menu>
  )
}

interface MountedTargetProps {
  readonly element: HTMLElement
  readonly ref?: Ref<HTMLElement>
  readonly onMount: () => void
}

/**
 * Renders nothing: the element is there already. The menu opens after its dropdown was mounted: only then does closing it
 * return the focus.
 */
function MountedTarget({ element, ref, onMount }: MountedTargetProps) {
  useImperativeHandle(ref, () => element, [element])
  const mounted = useEffectEvent(onMount)
  useEffect(() => mounted(), [])
  return null
}
