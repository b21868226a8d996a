import { Anchor, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

interface EvacuationListProps {
  readonly label: string
  readonly children: ReactNode
}

/** The servers of a node with what becomes of them. */
export function EvacuationList({ label, children }: EvacuationListProps) {
  return (
    <Stack component="ul" gap="xs" aria-label={label}>
      {children}
    </Stack>
  )
}

interface ServerRowProps {
  readonly server: { readonly id: string; readonly name: string }
  readonly status: string
  readonly hasProblem: boolean
  readonly details: readonly string[]
}

export function ServerRow({ server, status, hasProblem, details }: ServerRowProps) {
  return (
    <Group component="li" gap="sm" align="baseline" style={{ rowGap: 0 }}>
      <Anchor component={Link} to={`/server/${server.id}`} fw={500} flex="1 1 10rem" miw={0} truncate dir="auto">
        {server.name}
      </Anchor>
      <Stack gap={0} flex="1 1 14rem" miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Text inherit {...(hasProblem && { c: 'var(--ik-offline)' })}>
          {status}
        </Text>
        {details.map((detail) => (
          <Text key={detail} variant="note">
            {detail}
          </Text>
        ))}
      </Stack>
    </Group>
  )
}
