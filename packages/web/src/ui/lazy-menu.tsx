import { Menu, type MenuProps } from '@mantine/core'
import {
  type MouseEvent,
  type ReactNode,
  type Ref,
  Suspense,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useState,
} from 'react'

/** Attributes of the button that opens the menu. */
interface TargetProps {
  readonly id: string
  readonly 'aria-haspopup': 'menu'
  readonly 'aria-expanded': boolean
  readonly onClick: (event: MouseEvent<HTMLElement>) => void
}

interface LazyMenuProps extends Omit<MenuProps, 'children'> {
  readonly renderTarget: (props: TargetProps) => ReactNode
  /** The dropdown. It may be loaded on demand. */
  readonly children: ReactNode
}

/** A menu that is mounted when it is opened for the first time: in the rows of a long list, most never are. */
export function LazyMenu({ renderTarget, children, ...menu }: LazyMenuProps) {
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
        <Suspense fallback={null}>
          <Menu {...menu} id={id} opened={isOpen} onChange={setIsOpen}>
            <Menu.Target>
              <MountedTarget element={target} onMount={() => setIsOpen(true)} />
            </Menu.Target>
            {children}
          </Menu>
        </Suspense>
      )}
    </>
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
