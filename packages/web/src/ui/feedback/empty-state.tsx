import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { Link } from 'react-router'

interface EmptyStateProps {
  readonly icon: ComponentType<{ readonly size: number; readonly 'aria-hidden': true }>
  readonly title: string
  readonly children?: ReactNode
  /** Buttons and links to continue. */
  readonly actions?: ReactNode
  /** Where to continue. */
  readonly link?: false | { readonly to: string; readonly label: string }
  readonly isError?: boolean
}

/** Shown in place of content: why there is none, and what to do next. */
export function EmptyState({ icon: Icon, title, children, actions, link, isError = false }: EmptyStateProps) {
  return (
    <Stack
      align="center"
      justify="center"
      gap="xs"
      flex={1}
      mih={280}
      px="xl"
      py="2xl"
      ta="center"
      role={isError ? 'alert' : undefined}
    >
      <ThemeIcon
        size={52}
        radius="xl"
        mb="xs"
        bg={isError ? 'var(--ik-offline-soft)' : 'var(--ik-hover)'}
        c={isError ? 'var(--ik-offline)' : 'dimmed'}
      >
        <Icon size={24} aria-hidden />
      </ThemeIcon>
      <Title order={2}>{title}</Title>
      {children && (
        <Text variant="note" maw="22rem">
          {children}
        </Text>
      )}
      {(actions || link) && (
        <Group justify="center" gap="xs" mt="sm">
          {actions}
          {link && (
            <Button component={Link} to={link.to} variant="default">
              {link.label}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
