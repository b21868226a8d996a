import { Box, Button, Group, Menu, Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useNow } from '../../ui/hooks/use-now.ts'
import { RowList } from '../../ui/layout/row-list.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import type { ChosenAction, OfferedPlayerAction } from './actions.ts'
import type { ListedPlayer } from './online.ts'

interface PlayerListProps {
  readonly players: readonly ListedPlayer[]
  readonly actions: readonly OfferedPlayerAction[]
  readonly onChoose: (chosen: ChosenAction) => void
}

/** Everyone who plays. The first action is a button, the others are in a menu. */
export function PlayerList({ players, actions, onChoose }: PlayerListProps) {
  const t = useT()
  const [first, ...others] = actions
  return (
    <RowList label={t('common.Players')}>
      {withKeys(players).map(({ name, since, key }) => (
        <Group component="li" key={key} gap="xs" wrap="nowrap" justify="space-between" px="md" py="xs">
          <Box miw={0} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi>
            {since !== undefined && <OnlineFor since={since} />}
          </Box>
          <Group gap="xs" wrap="nowrap">
            {first && (
              <Button
                size="xs"
                variant="default"
                aria-label={t('players.DoFor', { action: t(`players.Do_${first.type}`), player: name })}
                onClick={() => onChoose({ action: first, player: name })}
              >
                {t(`players.Do_${first.type}`)}
              </Button>
            )}
            {others.length > 0 && (
              <IconMenu label={t('players.MoreFor', { player: name })}>
                {others.map((action) => (
                  <Menu.Item key={action.type} onClick={() => onChoose({ action, player: name })}>
                    {t(`players.Do_${action.type}`)}
                  </Menu.Item>
                ))}
              </IconMenu>
            )}
          </Group>
        </Group>
      ))}
    </RowList>
  )
}

function OnlineFor({ since }: { readonly since: string }) {
  const t = useT()
  const { longDuration } = useFormatters()
  const timestamp = Date.parse(since)
  return <Text variant="note">{t('players.OnlineFor', { duration: longDuration(useNow(timestamp) - timestamp) })}</Text>
}

/** Players can have the same name. */
function withKeys(players: readonly ListedPlayer[]) {
  const seen = new Map<string, number>()
  return players.map(({ name, since }) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return { name, since, key: `${count} ${name}` }
  })
}
