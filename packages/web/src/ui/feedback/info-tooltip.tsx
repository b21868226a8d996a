import { Tooltip, type TooltipProps } from '@mantine/core'

/** A tooltip with information that its element does not show, unlike the name of an icon: touch opens it too. */
export function InfoTooltip(props: TooltipProps) {
  return <Tooltip {...props} events={{ hover: true, focus: true, touch: true }} />
}
