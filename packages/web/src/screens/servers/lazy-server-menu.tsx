import { ActionIcon } from '@mantine/core'
import { IconDots, IconDotsVertical } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { toast } from '../../ui/toast.tsx'
import { useIdle } from '../../ui/use-idle.ts'
import { lazySource, useLazyComponent } from '../../ui/use-lazy-component.ts'
import type { ServerMenuProps } from './server-menu.tsx'

const menu = lazySource(async () => (await import('./server-menu.tsx')).ServerMenu)

/** The menu of a row, loaded when the list stands and the browser has nothing better to do. */
export function ServerMenu(props: ServerMenuProps) {
  const isIdle = useIdle()
  const t = useT()
  const [clicks, setClicks] = useState(0)
  const Menu = useLazyComponent(menu, {
    isWanted: isIdle,
    attempt: clicks,
    onFailure: () => {
      if (clicks > 0) toast.error(t('errors.OverlayFailed'), { detail: t('errors.PageFailedWhy') })
    },
  })
  return isIdle && Menu ? <Menu {...props} /> : <WaitingMenu {...props} onClick={() => setClicks(clicks + 1)} />
}

/** The button of the menu until that is loaded. A click loads it again, and then reports a failure. */
function WaitingMenu({ server, isPhone = false, onClick }: ServerMenuProps & { readonly onClick: () => void }) {
  const t = useT()
  const Dots = isPhone ? IconDotsVertical : IconDots
  return (
    <ActionIcon size={isPhone ? 44 : 30} aria-label={t('servers.MoreFor', { name: server.name })} onClick={onClick}>
      <Dots size={isPhone ? 20 : 17} aria-hidden />
    </ActionIcon>
  )
}
