import { Button, Group, Popover, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'

interface ConfirmPopoverProps {
  readonly question: string
  readonly action: string
  readonly onConfirm: () => void
  readonly opened: boolean
  readonly onChange: (opened: boolean) => void
  /** The control it is attached to. */
  readonly children: ReactNode
}

/** A short question beside a control. Enter confirms, Esc cancels. */
export function ConfirmPopover({ question, action, onConfirm, opened, onChange, children }: ConfirmPopoverProps) {
  const t = useT()
  return (
    // Popover would set its roles on the target, which may be a wrapper of the control.
    <Popover
      opened={opened}
      onChange={onChange}
      withRoles={false}
      trapFocus
      returnFocus
      withArrow
      position="bottom-end"
      width={280}
    >
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown role="alertdialog" aria-label={question}>
        <Text>{question}</Text>
        <Group justify="flex-end" gap="xs" mt="sm">
          <Button size="xs" variant="subtle" onClick={() => onChange(false)}>
            {t('common.Cancel')}
          </Button>
          <Button
            size="xs"
            color="red"
            data-autofocus
            onClick={() => {
              onChange(false)
              onConfirm()
            }}
          >
            {action}
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}
