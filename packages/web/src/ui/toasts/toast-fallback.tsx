import { Box, Button, CloseButton, Paper, Stack } from '@mantine/core'
import { useId } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../feedback/alert.tsx'
import type { Message } from './toast-message.ts'

interface ToastFallbackProps {
  readonly messages: readonly Message[]
  readonly onRemove: (message: Message) => void
}

/** Toasts as plain messages that stay until they are closed, for when the code of toasts cannot be loaded. */
export function ToastFallback({ messages, onRemove }: ToastFallbackProps) {
  const t = useT()
  const id = useId()
  return (
    <Box pos="fixed" top={60} left={0} right={0} maw={480} mx="auto" px="md" style={{ zIndex: 600 }}>
      <Stack gap="xs">
        {messages.map((message, index) => {
          const { title, type, options } = message
          const { detail, action, onGone } = options
          const [titleId, closeId] = [`${id}-title-${index}`, `${id}-close-${index}`]
          const close = () => {
            onRemove(message)
            onGone?.()
          }
          const act = () => {
            onRemove(message)
            action?.run()
          }
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal messages differ by nothing else
            <Paper key={index} shadow="md">
              <Alert
                type={type}
                role={type === 'success' ? 'status' : 'alert'}
                action={
                  <>
                    {action && (
                      <Button variant="default" size="xs" onClick={act}>
                        {action.label}
                      </Button>
                    )}
                    <CloseButton
                      id={closeId}
                      aria-label={t('common.Close')}
                      aria-labelledby={`${closeId} ${titleId}`}
                      onClick={close}
                    />
                  </>
                }
              >
                <b id={titleId}>{title}</b> {detail}
              </Alert>
            </Paper>
          )
        })}
      </Stack>
    </Box>
  )
}
