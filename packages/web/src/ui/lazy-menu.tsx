import { Menu, type MenuProps } from '@mantine/core'
import {
  createElement,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useState,
} from 'react'
import { type LazySource, useLazyComponent } from './use-lazy-component.ts'
import { useReportLoadFailure } from './use-load-failure.ts'

/** Attributes of the button that opens the menu. */
interface TargetProps {
  readonly id: string
  readonly 'aria-haspopup': 'menu'
  readonly 'aria-expanded': boolean
  readonly onClick: (event: MouseEvent<HTMLElement>) => void
}

interface LazyMenuProps<P> extends Omit<MenuProps, 'children'> {
  readonly renderTarget: (props: TargetProps) => ReactNode
  /** The `Menu.Dropdown`, loaded when the menu is first opened. */
  readonly dropdown: LazySource<P>
  readonly dropdownProps: P
}

/**
 * A menu that is loaded and mounted when it is opened for the first time: in the rows of a long list, most never are. When
 * it cannot be loaded, a toast says so, and opening it again tries again.
 */
export function LazyMenu<P extends object>({ renderTarget, ...menu }: LazyMenuProps<P>) {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement>()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      {renderTarget({
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        onClick: ({ currentTarget }) => (target ? setIsOpen(!isOpen) : setTarget(currentTarget)),
      })}
      {target && (
        <LoadedMenu
          {...menu}
          id={id}
          target={target}
          opened={isOpen}
          onChange={setIsOpen}
          onFailure={() => {
            setTarget(undefined)
            setIsOpen(false)
          }}
        />
      )}
    </>
  )
}

interface LoadedMenuProps<P> extends Omit<LazyMenuProps<P>, 'renderTarget'> {
  readonly target: HTMLElement
  readonly onChange: (isOpen: boolean) => void
  readonly onFailure: () => void
}

function LoadedMenu<P extends object>(props: LoadedMenuProps<P>) {
  const { target, dropdown, dropdownProps, onFailure, ...menu } = props
  const reportFailure = useReportLoadFailure()
  const Dropdown = useLazyComponent(dropdown, {
    isWanted: true,
    attempt: 0,
    onFailure: (error) => {
      reportFailure(error)
      onFailure()
    },
  })
  if (!Dropdown) return null
  return (
    <Menu {...menu}>
      <Menu.Target>
        <MountedTarget element={target} onMount={() => menu.onChange(true)} />
      </Menu.Target>
      {createElement<P>(Dropdown, dropdownProps)}
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
