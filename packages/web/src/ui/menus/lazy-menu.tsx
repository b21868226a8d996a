import { createElement, type MouseEvent, type ReactNode, useId, useState } from 'react'
import { type LazySource, useLazyComponent } from '../hooks/use-lazy-component.ts'
import { useReportLoadFailure } from '../loading/use-load-failure.ts'
import type { MenuControl } from './controlled-menu.tsx'

/** Attributes of the button that opens the menu. */
interface TargetProps {
  readonly id: string
  readonly 'aria-haspopup': 'menu'
  readonly 'aria-expanded': boolean
  readonly onClick: (event: MouseEvent<HTMLElement>) => void
}

interface LazyMenuProps<P> {
  readonly renderTarget: (props: TargetProps) => ReactNode
  /** A `ControlledMenu` with its items, loaded when the menu is first opened. */
  readonly menu: LazySource<P & { readonly frame: MenuControl }>
  readonly menuProps: P
}

/**
 * A menu that is loaded and mounted when it is opened for the first time: in the rows of a long list, most never are. When
 * it cannot be loaded, a toast says so, and opening it again repeats the load.
 */
export function LazyMenu<P extends object>({ renderTarget, menu, menuProps }: LazyMenuProps<P>) {
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
          menu={menu}
          menuProps={{ ...menuProps, frame: { id, target, opened: isOpen, onChange: setIsOpen } }}
          onFailure={() => {
            setTarget(undefined)
            setIsOpen(false)
          }}
        />
      )}
    </>
  )
}

interface LoadedMenuProps<P> {
  readonly menu: LazySource<P>
  readonly menuProps: P
  readonly onFailure: () => void
}

function LoadedMenu<P extends object>({ menu, menuProps, onFailure }: LoadedMenuProps<P>) {
  const reportFailure = useReportLoadFailure()
  const Menu = useLazyComponent(menu, {
    isWanted: true,
    attempt: 0,
    onFailure: (error) => {
      reportFailure(error)
      onFailure()
    },
  })
  return Menu ? createElement<P>(Menu, menuProps) : null
}
