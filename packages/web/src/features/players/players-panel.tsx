import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { listPlayerActions } from '@innkeeper/contract/servers/player-actions'
import { type GameStatus, getPlayers } from '@innkeeper/contract/servers/players'
import { Button, Group, Menu, Stack, Text } from '@mantine/core'
import {
  IconHelpCircle,
  IconHourglass,
  IconLock,
  IconMessage,
  IconMoodEmpty,
  IconPlayerPause,
  IconUserSearch,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ListSection } from '../../ui/lists/list-section.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { PlayerActionDialog } from './action-dialog.tsx'
import { type ChosenAction, type OfferedPlayerAction, splitActions } from './actions.ts'
import { getOnlinePlayers } from './online.ts'
import { PlayerHours } from './player-hours.tsx'
import { PlayerList } from './player-list.tsx'
import { SeenPlayers } from './seen-players.tsx'

/** The node asks the game every 10 seconds. */
const pollMs = 5_000

interface PlayersPanelProps {
  readonly server: string
  readonly can: (permission: RequiredPermission) => boolean
  readonly isOffline: boolean
}

/** Who plays on a server, and what the user may do to them. */
export function PlayersPanel({ server, can, isOffline }: PlayersPanelProps) {
  const t = useT()
  const canView = can('viewServerPlayers')
  const params = { id: server }
  const players = useApiQuery(
    getPlayers,
    { params },
    { enabled: canView && !isOffline, refetchInterval: pollMs, meta: { quiet: true } },
  )
  const offered = useApiQuery(listPlayerActions, { params })
  const { forPlayer, forOther, forAll } = splitActions(offered.data?.actions ?? [], can)
  const [chosen, setChosen] = useState<ChosenAction>()
  return (
    <>
      <ListSection
        title={t('common.Players')}
        actions={
          <Group gap="xs">
            {forAll.map((action) => (
              <Button
                key={action.type}
                variant="default"
                disabled={isOffline}
                leftSection={<IconMessage size={17} aria-hidden />}
                onClick={() => setChosen({ action })}
              >
                {t(`players.Do_${action.type}`)}
              </Button>
            ))}
            {forOther.length > 0 && <OtherPlayerMenu actions={forOther} isDisabled={isOffline} onChoose={setChosen} />}
          </Group>
        }
      >
        <QueryState query={offered} errorTitle={t('players.LoadFailed')} skeletonHeight="11rem">
          {() =>
            canView && !isOffline ? (
              <QueryState query={players} errorTitle={t('players.LoadFailed')} skeletonHeight="11rem">
                {(data) => <Players data={data} actions={forPlayer} onChoose={setChosen} />}
              </QueryState>
            ) : (
              <NotShown canView={canView} />
            )
          }
        </QueryState>
      </ListSection>
      {canView && (
        <Stack p={{ base: 'sm', sm: 0 }} pb={{ sm: 'xl' }}>
          <SeenPlayers server={server} canDelete={can('editServerData')} />
          <PlayerHours server={server} />
        </Stack>
      )}
      {chosen && <PlayerActionDialog server={server} {...chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

/** Why nobody is shown: the user may not see it, or the server does not run. */
function NotShown({ canView }: { canView: boolean }) {
  const t = useT()
  return canView ? (
    <EmptyState icon={IconPlayerPause} title={t('players.Offline')}>
      {t('players.OfflineHow')}
    </EmptyState>
  ) : (
    <EmptyState icon={IconLock} title={t('players.Hidden')}>
      {t('shell.NoPermissionFor', { permission: t('server-users.ViewPlayers') })}
    </EmptyState>
  )
}

interface OtherPlayerMenuProps {
  readonly actions: readonly OfferedPlayerAction[]
  readonly isDisabled: boolean
  readonly onChoose: (chosen: ChosenAction) => void
}

/** Actions on a player whose name the user enters, such as one who has left. */
function OtherPlayerMenu({ actions, isDisabled, onChoose }: OtherPlayerMenuProps) {
  const t = useT()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" disabled={isDisabled} leftSection={<IconUserSearch size={17} aria-hidden />}>
          {t('players.OtherPlayer')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item key={action.type} onClick={() => onChoose({ action })}>
            {t(`players.Do_${action.type}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface PlayersProps {
  readonly data: ResponseOf<typeof getPlayers>
  readonly actions: readonly OfferedPlayerAction[]
  readonly onChoose: (chosen: ChosenAction) => void
}

/** Who is online, or why nobody is listed. */
function Players({ data, actions, onChoose }: PlayersProps) {
  const t = useT()
  const { isAsked, status, hasPatterns = false } = data
  const players = getOnlinePlayers(data)
  const isEmpty = players.length === 0
  if (isEmpty && !isAsked && !hasPatterns) {
    return (
      <EmptyState icon={IconHelpCircle} title={t('players.NotReported')}>
        {t('players.NotReportedHow')}
      </EmptyState>
    )
  }
  if (isEmpty && isAsked && !status) {
    return (
      <EmptyState icon={IconHourglass} title={t('players.Silent')}>
        {t('players.SilentHow')}
      </EmptyState>
    )
  }
  const { online, bots = 0 } = status?.players ?? { online: players.length }
  const hasNobody = online + bots === 0
  return (
    <>
      {status && <Summary status={status} />}
      {isEmpty && (
        <EmptyState icon={IconMoodEmpty} title={t(hasNobody ? 'players.Nobody' : 'players.NoNames')}>
          {!hasNobody && t('players.NoNamesHow')}
        </EmptyState>
      )}
      {!isEmpty && <PlayerList players={players} actions={actions} onChoose={onChoose} />}
      {!isEmpty && online > players.length && (
        <Text variant="note" p="md">
          {t('players.More', { count: online - players.length })}
        </Text>
      )}
    </>
  )
}

/** How many play, and where. */
function Summary({ status: { players, map } }: { status: GameStatus }) {
  const t = useT()
  const { online, max, bots } = players
  return (
    <Group gap="md" px="md" pt="md" pb="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      <span>{bots ? t('players.OnlineAndBots', { online, max, bots }) : t('players.Online', { online, max })}</span>
      {map !== undefined && <bdi>{t('players.Map', { map })}</bdi>}
    </Group>
  )
}
