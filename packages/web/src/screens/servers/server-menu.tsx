import { IconDots } from '@tabler/icons-react'
import type { PowerAction } from '../../features/power/power.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { lazySource } from '../../ui/hooks/use-lazy-component.ts'
import controls from '../../ui/lists/row-controls.module.css'
import { LazyMenu } from '../../ui/menus/lazy-menu.tsx'
import type { ServerRow } from './list/server-list.ts'

/** Not part of the first load: the rows do not wait for it. */
export const serverRowMenu = lazySource(async () => (await import('./server-row-menu.tsx')).ServerRowMenu)

interface ServerMenuProps extends Pick<ServerRow, 'server' | 'status' | 'can' | 'actions'> {
  readonly t: TFunction
  readonly available: readonly PowerAction[]
  readonly isPhone?: boolean
}

/** The menu of a row, with everything that can be done with one server from the list. */
export function ServerMenu({ t, isPhone = false, ...props }: ServerMenuProps) {
  return (
    <LazyMenu
      menu={serverRowMenu}
      menuProps={props}
      renderTarget={(target) => (
        <button
          type="button"
          className={controls.icon}
          aria-label={t('common.MoreFor', { name: props.server.name })}
          {...target}
        >
          <IconDots size={isPhone ? 20 : 17} aria-hidden />
        </button>
      )}
    />
  )
}
