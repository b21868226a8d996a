import { getAddress } from '@innkeeper/contract/text/address'
import { Menu, Stack, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCopy, IconStar, IconStarOff, IconTags, IconTerminal2 } from '@tabler/icons-react'
import { type ReactNode, use, useId } from 'react'
import { Link } from 'react-router'
import { getPowerLabel, type PowerAction, powerDisplays } from '../../features/power/power.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { usePinnedServers } from '../../session/preferences.tsx'
import { statusLabel } from '../../ui/feedback/status.tsx'
import { ControlledMenu, type MenuControl } from '../../ui/menus/controlled-menu.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { maintenanceText } from '../../ui/text/node-availability.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { type ServerRow, UsageContext } from './list/server-list.ts'
import { getPlayersTexts, getUsageTexts, LastKnown } from './usage-text.ts'

export interface ServerRowMenuProps extends Pick<ServerRow, 'server' | 'status' | 'can' | 'actions'> {
  readonly frame: MenuControl
  readonly available: readonly PowerAction[]
}

/** What the row of a server shows, in full, and everything that can be done with it. */
export function ServerRowMenu({ frame, server, status, available, can, actions }: ServerRowMenuProps) {
  const t = useT()
  const { pinned, toggle } = usePinnedServers()
  const { copy } = useClipboard()
  const factsId = useId()
  const isPinned = pinned.includes(server.id)
  return (
    <ControlledMenu
      control={frame}
      position="bottom-end"
      width={240}
      // In a low window it is shortened, and scrolls.
      middlewares={{ shift: true, flip: true, size: true }}
    >
      <Menu.Dropdown aria-describedby={factsId} style={{ overflowY: 'auto' }}>
        <Facts id={factsId} server={server} status={status} />
        <Menu.Divider />
        {available.map((action) => {
          const { Icon } = powerDisplays[action]
          return (
            <Menu.Item
              key={action}
              leftSection={<Icon size={17} aria-hidden />}
              {...(action === 'kill' || action === 'cancelInstall' ? { c: 'var(--ik-offline)' } : {})}
              onClick={() => actions.run(server, action)}
            >
              {t(getPowerLabel(action, status))}
            </Menu.Item>
          )
        })}
        {can(server, 'viewServerConsole') && (
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
            copy(getAddress(server))
            toast.success(t('servers.AddressCopied'))
          }}
        >
          {t('common.CopyAddress')}
        </Menu.Item>
        {can(server, 'editServerData') && (
          <Menu.Item leftSection={<IconTags size={17} aria-hidden />} onClick={() => actions.editTags(server)}>
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
    </ControlledMenu>
  )
}

/** What the row leaves out or cuts where there is little space. A screen reader reads it as the description of the menu. */
function Facts({ id, server, status }: Pick<ServerRow, 'server' | 'status'> & { readonly id: string }) {
  const t = useT()
  const formatters = useFormatters()
  const usage = use(UsageContext).get(server.id)
  const texts = getUsageTexts(t, formatters, usage)
  const players = getPlayersTexts(t, usage?.players)
  return (
    <Stack id={id} aria-hidden gap="2xs" px="sm" py="xs" fz="xs" style={{ overflowWrap: 'anywhere' }}>
      <Text fz="compact" fw={500} dir="auto">
        {server.name}
      </Text>
      <Fact label={t('servers.Status')}>
        {statusLabel(t, status)}
        {usage?.lastKnown && (
          <>
            {' · '}
            <LastKnown {...usage.lastKnown} />
          </>
        )}
      </Fact>
      {players && <Fact label={t('common.Players')}>{players.value}</Fact>}
      {texts && <Fact label={t('common.Cpu')}>{texts.cpu.details}</Fact>}
      {texts && <Fact label={t('common.Memory')}>{texts.memory.details}</Fact>}
      <Fact label={t('servers.Address')}>
        <CodeText>{getAddress(server)}</CodeText>
      </Fact>
      <Fact label={t('common.Node')}>{maintenanceText(t, formatters, server.node) ?? server.node.name}</Fact>
      {server.tags.length > 0 && <Fact label={t('servers.Tags')}>{formatters.list(server.tags)}</Fact>}
    </Stack>
  )
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text span inherit c="dimmed">
        {label}
      </Text>{' '}
      <bdi>{children}</bdi>
    </div>
  )
}
