import { Box, Button, Group, Progress, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'

interface JobProgressProps {
  readonly title: string
  /** From 0 to 1; `undefined` while it is unknown. */
  readonly progress: number | undefined
  /** Figures beside the title. */
  readonly children: ReactNode
  readonly onCancel?: (() => void) | undefined
}

/** A running job: its title, figures and progress. */
export function JobProgress({ title, progress, children, onCancel }: JobProgressProps) {
  const t = useT()
  return (
    <Box fz="compact">
      <Group gap="sm">
        <Text inherit truncate flex="1 1 8rem" miw={0}>
          {title}
        </Text>
        <Text inherit c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {children}
        </Text>
        {onCancel && (
          <Button size="compact-sm" variant="subtle" onClick={onCancel}>
            {t('common.Cancel')}
          </Button>
        )}
      </Group>
      <Progress.Root size="xs" bg="var(--ik-hover)">
        <Progress.Section
          value={progress === undefined ? 30 : progress * 100}
          color="var(--ik-link)"
          striped={progress === undefined}
          animated={progress === undefined}
          // Mantine's attributes would announce every percent.
          withAria={false}
          role="progressbar"
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={100}
          {...(progress === undefined ? {} : { 'aria-valuenow': Math.floor(progress * 4) * 25 })}
        />
      </Progress.Root>
    </Box>
  )
}
