import {
  deletePlayerSessions,
  listPlayerSessions,
  listSeenPlayers,
  type SeenPlayer,
} from '@innkeeper/contract/servers/player-sessions'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { limits } from '@innkeeper/contract/text/limits'
import { Badge, Box, Center, Group, Menu, Paper, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { SessionsMenu } from './sessions-menu.tsx'

interface SeenPlayersProps {
  readonly server: string
  /** Whether the user may delete sessions. */
  readonly canDelete: boolean
}

const refreshMs = 30_000
const searchDelayMs = 250
const maxQueryChars = 100

/** Everyone who has played in the last year, the one who was seen last first, with a search. */
export function SeenPlayers({ server, canDelete }: SeenPlayersProps) {
  const t = useT()
  const [draft, setDraft] = useState('')
  const [page, setPage] = useState(1)
  const [search] = useDebouncedValue(draft.trim().slice(0, maxQueryChars), searchDelayMs)
  const query = useApiQuery(
    listSeenPlayers,
    { params: { id: server }, query: { page, limit: limits.pageSize, ...(search !== '' && { query: search }) } },
    { placeholderData: keepPreviousData, refetchInterval: refreshMs, meta: { quiet: true } },
  )
  // Older nodes do not know who has played.
  if (isRefusal(query.error, 'ErrNotFound')) return null
  const isUsed = draft !== '' || (query.data?.players.length ?? 0) > 0
  return (
    <Paper component="section" aria-label={t('players.Seen')}>
      <CardHeader title={t('players.Seen')} description={t('players.SeenAbout')}>
        {isUsed && <SessionsMenu server={server} canDelete={canDelete} />}
      </CardHeader>
      {isUsed && (
        <Box px="md" pt="sm">
          <SearchInput
            label={t('players.Search')}
            maxLength={maxQueryChars}
            value={draft}
            onChange={(value) => {
              setDraft(value)
              setPage(1)
            }}
          />
        </Box>
      )}
      <QueryState
        query={query}
        errorTitle={t('players.SeenFailed')}
        skeletonHeight="11rem"
        isEmpty={({ players }) => players.length === 0}
        empty={
          <Center mih={96} px="md" fz="sm" c="dimmed" ta="center">
            {t(search === '' ? 'players.NobodySeen' : 'players.NobodyFound')}
          </Center>
        }
      >
        {({ players, paging }) => (
          <>
            <RowList label={t('players.Seen')}>
              {players.map((player) => (
                <SeenRow key={player.name} player={player} server={server} canDelete={canDelete} />
              ))}
            </RowList>
            <Pager paging={paging} onPage={setPage} />
          </>
        )}
      </QueryState>
    </Paper>
  )
}

interface SeenRowProps extends SeenPlayersProps {
  readonly player: SeenPlayer
}

function SeenRow({ player, server, canDelete }: SeenRowProps) {
  const t = useT()
  const { longDuration } = useFormatters()
  const remove = useRemoveSessions(server)
  const { name, isOnline, lastSeen, sessions, totalMs } = player
  return (
    <Group component="li" gap="xs" wrap="nowrap" justify="space-between" px="md" py="xs">
      <Box miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs">
          <Text component="bdi" miw={0}>
            {name}
          </Text>
          {isOnline && (
            <Badge c="var(--ik-online)" bg="var(--ik-online-soft)">
              {t('players.OnlineNow')}
            </Badge>
          )}
        </Group>
        <Text variant="note">
          {!isOnline && (
            <>
              <RelativeTime time={lastSeen} />
              {' · '}
            </>
          )}
          {t('players.Together', { count: sessions, duration: longDuration(totalMs) })}
        </Text>
      </Box>
      {canDelete && (
        <IconMenu label={t('players.SessionsOf', { player: name })}>
          <Menu.Item
            color="var(--ik-offline)"
            leftSection={<IconTrash size={17} aria-hidden />}
            onClick={() => void remove(name)}
          >
            {t('players.DeleteSessions')}
          </Menu.Item>
        </IconMenu>
      )}
    </Group>
  )
}

/** Asks first. */
function useRemoveSessions(server: string) {
  const t = useT()
  const confirm = useConfirm()
  const { mutate } = useApiMutation(deletePlayerSessions, {
    invalidates: [listSeenPlayers, listPlayerSessions, getPlayers],
  })
  return (name: string) =>
    confirm({
      title: t('players.DeleteQuestion', { player: name }),
      body: t('players.DeleteBody'),
      action: t('players.DeleteSessions'),
      onConfirm: () => mutate({ params: { id: server }, body: { name } }),
    })
}
