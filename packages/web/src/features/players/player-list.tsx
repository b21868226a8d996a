import type { PlayerName } from '@innkeeper/contract/servers/players'
import { Button, Group, Menu, Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import type { ChosenAction, OfferedPlayerAction } from './actions.ts'

interface PlayerListProps {
  readonly players: readonly PlayerName[]
  readonly actions: readonly OfferedPlayerAction[]
  readonly onChoose: (chosen: ChosenAction) => void
}

/** Everyone who plays. The first action is a button, the others are in a menu. */
export function PlayerList({ players, actions, onChoose }: PlayerListProps) {
  const t = useT()
  const [first, ...others] = actions
  return (
    <RowList label={t('common.Players')}>
      {withKeys(players).map(({ name, key }) => (
        <Group component="li" key={key} gap="xs" wrap="nowrap" justify="space-between" px="md" py="xs">
          <Text component="bdi" miw={0} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
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

/** Players can have the same name. */
function withKeys(players: readonly PlayerName[]) {
  const seen = new Map<string, number>()
  return players.map(({ name }) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return { name, key: `${count} ${name}` }
  })
}
