import { Button, Text as Paragraph, Popover } from '@mantine/core'
import { type ReactNode, use } from 'react'
import { useT } from '../i18n/i18n.tsx'
import classes from './confirm.module.css'
import { type Confirm, ConfirmContext } from './confirm-provider.tsx'

/** Asks before something that cannot be undone; answers whether to go on. */
export function useConfirm(): Confirm {
  return use(ConfirmContext)
}

interface ConfirmPopoverProps {
  readonly question: string
  readonly action: string
  readonly onConfirm: () => void
  readonly opened: boolean
  readonly onChange: (opened: boolean) => void
  /** The control it hangs on. */
  readonly children: ReactNode
}

/** A short question beside the control that asks it. Enter confirms, Esc leaves. */
export function ConfirmPopover({ question, action, onConfirm, opened, onChange, children }: ConfirmPopoverProps) {
  const t = useT()
  return (
    // The roles are ours: the control it hangs on may stand inside another element, which must not get them.
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
        <Paragraph size="sm">{question}</Paragraph>
        <div className={classes.buttons}>
          <Button size="xs" variant="subtle" color="gray" onClick={() => onChange(false)}>
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
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
