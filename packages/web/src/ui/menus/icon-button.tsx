import { ActionIcon, type ActionIconProps, type ElementProps, Tooltip } from '@mantine/core'

interface IconButtonProps extends ActionIconProps, ElementProps<'button', keyof ActionIconProps> {
  /** Name of the button. */
  readonly label: string
  /** Default: the label. */
  readonly tooltip?: string
}

/** An icon as a button, with its name in a tooltip. */
export function IconButton({ label, tooltip = label, ...props }: IconButtonProps) {
  return (
    <Tooltip label={tooltip}>
      <ActionIcon aria-label={label} {...props} />
    </Tooltip>
  )
}
