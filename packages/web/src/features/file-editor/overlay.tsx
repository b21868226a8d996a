import { Modal, type ModalRootProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useReturnFocus } from '../../ui/overlays/use-return-focus.ts'
import classes from './file-editor.module.css'

interface OverlayProps extends Pick<ComponentProps<typeof Modal.Body>, 'onKeyDown' | 'children'> {
  readonly label: string
  /** Whether Esc and a click beside it close it. */
  readonly closesEasily?: boolean
  readonly onClose: ModalRootProps['onClose']
}

/** Fills the window except for a border; on a phone all of it. */
export function Overlay({ label, closesEasily = true, onClose, ...body }: OverlayProps) {
  useReturnFocus()
  return (
    <Modal.Root
      opened
      onClose={onClose}
      variant="phone-full-screen"
      size="calc(100vw - 40px)"
      xOffset={20}
      yOffset={20}
      padding={0}
      closeOnEscape={closesEasily}
      closeOnClickOutside={closesEasily}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={label} h={{ sm: 'calc(100dvh - 40px)' }} classNames={{ content: classes.overlay }}>
        <Modal.Body className={classes.body} {...body} />
      </Modal.Content>
    </Modal.Root>
  )
}
