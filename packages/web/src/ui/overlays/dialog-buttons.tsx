import { Button, type ButtonProps, Group } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useT } from '../../i18n/i18n.tsx'

interface DialogButtonsProps extends ButtonProps, Omit<ComponentProps<'button'>, keyof ButtonProps> {
  readonly onCancel: () => void
}

/** The end of a dialog: Cancel, and the button that does what the dialog is for. The other props are that button's. */
export function DialogButtons({ onCancel, ...action }: DialogButtonsProps) {
  const t = useT()
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="subtle" onClick={onCancel}>
        {t('common.Cancel')}
      </Button>
      <Button {...action} />
    </Group>
  )
}
