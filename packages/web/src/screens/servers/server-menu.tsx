import { addressOf } from '@innkeeper/contract/address'
import { ActionIcon, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import {
  IconCopy,
  IconDots,
  IconDotsVertical,
  IconStar,
  IconStarOff,
  IconTags,
  IconTerminal2,
} from '@tabler/icons-react'
import { Link } from 'react-router'
import { actionLabels } from '../../features/power/power.ts'
import { powerIcons } from '../../features/power/power-icons.ts'
import { useT } from '../../i18n/i18n.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { toast } from '../../ui/toast.tsx'
import type { ServerRow } from './server-list.ts'

/** The menu of a row, with everything that can be done with one server from the list. */
export function ServerMenu({ row, isPhone = false }: { row: ServerRow; isPhone?: boolean }) {
  const { server, available, canViewConsole, run, editTags } = row
  const t = useT()
  const { pinned, toggle } = usePinnedServers()
  const { copy } = useClipboard()
  const isPinned = pinned.includes(server.id)
  const Dots = isPhone ? IconDotsVertical : IconDots

  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon size={isPhone ? 44 : 30} aria-label={t('common.MoreFor', { name: server.name })}>
          <Dots size={isPhone ? 20 : 17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {available.map((action) => {
          const Icon = powerIcons[action]
          return (
            <Menu.Item
              key={action}
              leftSection={<Icon size={17} aria-hidden />}
              {...(action === 'kill' || action === 'cancelInstall' ? { color: 'red' } : {})}
              onClick={() => run(action)}
            >
              {t(actionLabels[action])}
            </Menu.Item>
          )
        })}
        {canViewConsole && (
          <Menu.Item
            leftSection={<IconTerminal2 size={17} aria-hidden />}
            component={Link}
            to={`/server/${server.id}?tab=console`}
          >
            {t('servers.OpenConsole')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconCopy size={17} aria-hidden />}
          onClick={() => {
            copy(addressOf(server))
            toast.success(t('servers.AddressCopied'))
          }}
        >
          {t('servers.CopyAddress')}
        </Menu.Item>
        {editTags && (
          <Menu.Item leftSection={<IconTags size={17} aria-hidden />} onClick={editTags}>
            {t('servers.TagsEdit')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={isPinned ? <IconStarOff size={17} aria-hidden /> : <IconStar size={17} aria-hidden />}
          onClick={() => toggle(server.id)}
        >
          {t(isPinned ? 'servers.Unpin' : 'servers.Pin')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
