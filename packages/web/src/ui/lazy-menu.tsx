import { Menu, type MenuProps } from '@mantine/core'
import { type MouseEvent, type ReactNode, type Ref, useEffect, useId, useImperativeHandle, useState } from 'react'

/** Attributes of the button that opens the menu. */
interface TargetProps {
  readonly id: string
  readonly 'aria-haspopup': 'menu'
  readonly 'aria-expanded': boolean
  readonly onClick: (event: MouseEvent<HTMLElement>) => void
}

interface LazyMenuProps extends Omit<MenuProps, 'children'> {
  readonly renderTarget: (props: TargetProps) => ReactNode
  /** The dropdown. */
  readonly children: ReactNode
}

/** A menu that is mounted when it is opened for the first time: in the rows of a long list, most never are. */
export function LazyMenu({ renderTarget, children, ...menu }: LazyMenuProps) {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement>()
  const [isOpen, setIsOpen] = useState(false)
  // It opens after it was mounted: only then does closing it return the focus.
  useEffect(() => setIsOpen(target !== undefined), [target])
  return (
    <>
      {renderTarget({
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        onClick: ({ currentTarget }) => (target ? setIsOpen(!isOpen) : setTarget(currentTarget)),
      })}
      {target && (
        <Menu {...menu} id={id} opened={isOpen} onChange={setIsOpen}>
          <Menu.Target>
            <MountedTarget element={target} />
          </Menu.Target>
          {children}
        </Menu>
      )}
    </>
  )
}

/** Renders nothing: the element is there already. */
function MountedTarget({ element, ref }: { readonly element: HTMLElement; readonly ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => element, [element])
  return null
}
