import { Button, type ButtonProps } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import { type ReactNode, useId } from 'react'
import { SettingRow } from '../fields/setting-row.tsx'

interface ActionRowProps {
  readonly title: string
  readonly description: string
  readonly icon: TablerIcon
  /** The label of the button. */
  readonly action: string
  readonly isDangerous?: boolean
  readonly loading?: ButtonProps['loading']
  readonly onClick: () => void
  /** What the button opens. */
  readonly children?: ReactNode
}

/** A row of a card: what an action does, and the button for it. */
export function ActionRow(props: ActionRowProps) {
  const { title, description, icon: Icon, action, isDangerous = false, loading, onClick, children } = props
  const id = useId()
  return (
    <SettingRow id={id} title={title} description={description} isDangerous={isDangerous}>
      <Button
        size="xs"
        variant="default"
        {...(isDangerous && { c: 'var(--ik-offline)' })}
        loading={loading}
        aria-describedby={`${id}-title`}
        leftSection={<Icon size={16} aria-hidden />}
        onClick={onClick}
      >
        {action}
      </Button>
      {children}
    </SettingRow>
  )
}
