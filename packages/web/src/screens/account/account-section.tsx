import { Box, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { CardHeader } from '../../ui/lists/card-header.tsx'

interface AccountSectionProps {
  /** The fragment of links to the section, such as `two-factor`. */
  readonly id: string
  readonly title: string
  /** At the end of the heading row. */
  readonly actions?: ReactNode
  /** The content has its own padding. */
  readonly isFlush?: boolean
  readonly children: ReactNode
}

/** One card of the account page. */
export function AccountSection({ id, title, actions, isFlush = false, children }: AccountSectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      tabIndex={-1}
      data-quiet-focus
      style={{ scrollMarginBlockStart: '1rem' }}
    >
      <Paper>
        <CardHeader id={`${id}-title`} title={title}>
          {actions}
        </CardHeader>
        {isFlush ? children : <Stack p="md">{children}</Stack>}
      </Paper>
    </section>
  )
}

/** Fields side by side where there is room. */
export function FormGrid({ p, children }: { p?: 'md'; children: ReactNode }) {
  return (
    <SimpleGrid minColWidth="min(15rem, 100%)" spacing="md" {...(p && { p })}>
      {children}
    </SimpleGrid>
  )
}

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
