import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Link } from './navigation.tsx'
import { getScopeName } from './scope-name.ts'

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

/** Shown in place of content that the user may not see: which permission is missing, and who can help. */
export function MissingPermission({ scope }: { scope: unknown }) {
  const t = useT()
  const permission = getScopeName(t, scope)
  return (
    <EmptyState
      icon={IconLock}
      title={t('shell.NoPermission')}
      link={{ to: '/account', label: t('shell.GoToAccount') }}
    >
      {permission === undefined ? t('shell.NoPermissionHow') : t('shell.NoPermissionFor', { permission })}
    </EmptyState>
  )
}
