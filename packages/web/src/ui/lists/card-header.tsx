import { Box, Divider, Group, Text, Title } from '@mantine/core'
import type { ReactNode, Ref } from 'react'

interface CardHeaderProps {
  readonly title: ReactNode
  /** Of the heading, for `aria-labelledby`. */
  readonly id?: string
  readonly description?: string | undefined
  /** Before the title. */
  readonly icon?: ReactNode
  readonly headingRef?: Ref<HTMLHeadingElement>
  /** Actions and notes after the title. */
  readonly children?: ReactNode
}

/** The heading row of a card. */
export function CardHeader({ title, id, description, icon, headingRef, children }: CardHeaderProps) {
  return (
    <>
      <Group gap="xs" px="md" py="xs" mih="3.1875rem">
        {icon}
        <Box flex="1 1 8rem" miw={0}>
          <Title ref={headingRef} order={2} id={id} tabIndex={-1} data-quiet-focus>
            {title}
          </Title>
          {description && <Text variant="note">{description}</Text>}
        </Box>
        {children}
      </Group>
      <Divider />
    </>
  )
}
