import { ActionIcon } from '@mantine/core'
import { IconDots, IconDotsVertical } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { useText } from '../../i18n/text.tsx'
import { useIsIdle } from '../../ui/use-idle.ts'
import type { ServerMenuProps } from './server-menu.tsx'

const Menu = lazy(async () => ({ default: (await import('./server-menu.tsx')).ServerMenu }))

/** The menu of a row, loaded when the list stands and the browser has nothing better to do. */
export function ServerMenu(props: ServerMenuProps) {
  const isIdle = useIsIdle()
  const waiting = <WaitingMenu {...props} />
  return isIdle ? (
    <Suspense fallback={waiting}>
      <Menu {...props} />
    </Suspense>
  ) : (
    waiting
  )
}

function WaitingMenu({ server, isPhone = false }: ServerMenuProps) {
  const text = useText()
  const Dots = isPhone ? IconDotsVertical : IconDots
  return (
    <ActionIcon size={isPhone ? 44 : 30} aria-label={text('servers.MoreFor', { name: server.name })}>
      <Dots size={isPhone ? 20 : 17} aria-hidden />
    </ActionIcon>
  )
}
