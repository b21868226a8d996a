import { Flex, Group, Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface ListSectionProps {
  readonly title: string
  readonly actions: ReactNode
  /** Between the heading and the list: what is running. */
  readonly notices?: ReactNode
  /** The list, in a card that scrolls sideways. */
  readonly children: ReactNode
}

/** A tab of a server that shows a list, with its actions beside the heading. */
export function ListSection({ title, actions, notices, children }: ListSectionProps) {
  return (
    <Flex
      component="section"
      direction="column"
      gap="md"
      p={{ base: 'sm', sm: 0 }}
      pb={{ sm: 'xl' }}
      aria-label={title}
    >
      <Group justify="space-between" mih="2.25rem">
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {notices}
      <Paper style={{ overflowX: 'auto' }}>{children}</Paper>
    </Flex>
  )
}
