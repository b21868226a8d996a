import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface AddButtonProps {
  readonly isCompact?: boolean
  readonly disabled?: boolean
  readonly 'aria-label'?: string
  readonly onClick: () => void
  readonly children: ReactNode
}

/** Adds an entry to a list. */
export function AddButton({ isCompact = false, ...rest }: AddButtonProps) {
  return (
    <Button
      {...rest}
      w="fit-content"
      size={isCompact ? 'compact-xs' : 'xs'}
      variant={isCompact ? 'subtle' : 'default'}
      // The text of a button without a border begins where the list does.
      {...(isCompact && { ms: 'calc(var(--button-padding-x) * -1)' })}
      leftSection={<IconPlus size={isCompact ? 14 : 16} aria-hidden />}
    />
  )
}
