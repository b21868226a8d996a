import { Box, Group, Text } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface AccountRowProps {
  readonly Icon: TablerIcon
  readonly title: string
  readonly action: ReactNode
  /** Facts below the title. */
  readonly children: ReactNode
}

/** A list item with an icon, a title and facts about it, and an action at the end. */
export function AccountRow({ Icon, title, action, children }: AccountRowProps) {
  return (
    <Group component="li" gap="sm" px="md" py="sm" wrap="nowrap">
      <Icon size={20} aria-hidden color="var(--ik-dim)" style={{ flex: 'none' }} />
      <Box flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Text component="bdi" fw={500}>
          {title}
        </Text>
        <Text component="div" c="dimmed" fz="compact" lh="1.25rem">
          {children}
        </Text>
      </Box>
      {action}
    </Group>
  )
}
