import { Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { type ReactNode, type Ref, useEffect, useRef } from 'react'
import classes from './auth-layout.module.css'
import { Logo } from './logo.tsx'
import { useDocumentTitle, useFocusHeading } from './page.tsx'

interface AuthPageProps {
  /** Controls in the upper corner: color scheme and language. */
  readonly corner: ReactNode
  readonly children: ReactNode
}

/** Background of the pages before sign-in. Their content is an `AuthLayout` or an `AuthMessage`. */
export function AuthPage({ corner, children }: AuthPageProps) {
  return (
    <main className={classes.page}>
      <Group className={classes.corner} pos="absolute" top="0.75rem" gap="2xs" align="stretch">
        {corner}
      </Group>
      {children}
    </main>
  )
}

interface AuthLayoutProps {
  readonly title: string
  readonly subtitle: string
  readonly wide?: boolean
  readonly children: ReactNode
}

/** A card with the logo and a form. */
export function AuthLayout({ title, subtitle, wide = false, children }: AuthLayoutProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useFocusHeading(heading)
  return (
    <AuthCard
      icon={<Logo size={44} />}
      title={title}
      subtitle={subtitle}
      heading={heading}
      {...(wide && { width: '29rem' })}
    >
      {children}
    </AuthCard>
  )
}

interface AuthMessageProps {
  readonly icon: ReactNode
  readonly title: string
  readonly subtitle: string
  readonly isError?: boolean
  /** Links to other pages. */
  readonly children: ReactNode
}

/** A card without a form: what happened, and where to go next. Its title takes the focus. */
export function AuthMessage({ icon, title, subtitle, isError = false, children }: AuthMessageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <AuthCard icon={<AuthIcon isError={isError}>{icon}</AuthIcon>} title={title} subtitle={subtitle} heading={heading}>
      {children}
    </AuthCard>
  )
}

export function AuthIcon({ isError = false, children }: { isError?: boolean; children: ReactNode }) {
  return (
    <ThemeIcon
      size={48}
      radius="xl"
      bg={isError ? 'var(--ik-offline-soft)' : 'var(--ik-primary-soft)'}
      c={isError ? 'var(--ik-offline)' : 'var(--ik-link)'}
    >
      {children}
    </ThemeIcon>
  )
}

interface AuthCardProps {
  readonly icon: ReactNode
  readonly title: string
  readonly subtitle: string
  readonly heading: Ref<HTMLHeadingElement>
  readonly width?: string
  readonly children: ReactNode
}

function AuthCard({ icon, title, subtitle, heading, width = '24.25rem', children }: AuthCardProps) {
  return (
    <Paper component={Stack} gap="lg" w={width} maw="100%" p="2xl" pb="xl" radius="xl">
      <Stack align="center" gap="sm" ta="center">
        {icon}
        <Title ref={heading} tabIndex={-1}>
          {title}
        </Title>
        <Text variant="note">{subtitle}</Text>
      </Stack>
      {children}
    </Paper>
  )
}

/** The last line of the card: a link to another page. */
export function AuthFooter({ children }: { children: ReactNode }) {
  return (
    <Text variant="note" ta="center" className={classes.footer}>
      {children}
    </Text>
  )
}
