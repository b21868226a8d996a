import { Avatar, Group, Stack, Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import type { UserRow } from './permissions.ts'

/** Avatar, name and email address of a user, on a line each. A long one is not cut: others may begin with the same. */
export function UserIdentity({ user: { name, email, isInvited, until } }: { user: UserRow }) {
  const t = useT()
  const { shortDateTime } = useFormatters()
  return (
    <Group gap="sm" wrap="nowrap" flex={1} miw={0}>
      <Avatar name={name} aria-hidden />
      <Stack gap={0} miw={0} ta="start" style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
        <Text fw={500} dir="auto">
          <bdi>{name}</bdi>
        </Text>
        <Text c="var(--ik-subtle)" fz="xs" lh="1rem">
          {isInvited ? t('server-users.Invited') : <bdi dir="ltr">{email}</bdi>}
        </Text>
        {until !== undefined && (
          <Text c="dimmed" fz="xs" lh="1rem">
            {t('server-users.Until', { time: shortDateTime(Date.parse(until)) })}
          </Text>
        )}
      </Stack>
    </Group>
  )
}
