import { Paper, Stack } from '@mantine/core'
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
