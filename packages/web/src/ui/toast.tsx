import { limits } from '@innkeeper/contract/limits'
import { Button, MantineThemeProvider } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { use } from 'react'
import { isRefusal } from '../api/request.ts'
import { type TellRefusal, TellRefusalContext } from '../api/use-send.ts'
import { type Text, useText } from '../i18n/text.tsx'
import { isUnexplained, messageOf, statusHint } from './refusal.tsx'
import classes from './toast.module.css'

interface ToastOptions {
  /** A second, quieter line. */
  readonly detail?: string
  /** A button at its end. */
  readonly action?: { readonly label: string; readonly run: () => void }
}

function show(kind: 'success' | 'error', title: string, { detail, action }: ToastOptions = {}): void {
  const Icon = kind === 'success' ? IconCircleCheck : IconCircleX
  const id = notifications.show({
    title,
    autoClose: kind === 'success' ? limits.toastMs : limits.errorToastMs,
    role: kind === 'success' ? 'status' : 'alert',
    icon: <Icon size={19} stroke={1.6} aria-hidden />,
    className: classes[kind] ?? '',
    classNames: {
      icon: classes.icon ?? '',
      title: classes.title ?? '',
      body: classes.body ?? '',
      description: classes.description ?? '',
    },
    message: (
      <>
        {detail && <span>{detail}</span>}
        {action && (
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              notifications.hide(id)
              action.run()
            }}
          >
            {action.label}
          </Button>
        )}
      </>
    ),
  })
}

/** Short messages at the top: at most three at a time, others wait. */
export const toast = {
  success: (title: string, options?: ToastOptions) => show('success', title, options),
  error: (title: string, options?: ToastOptions) => show('error', title, options),
}

/** Where toasts appear. */
export function Toasts() {
  const text = useText()
  return (
    <MantineThemeProvider
      inherit
      theme={{
        components: {
          Notification: { defaultProps: { closeButtonProps: { 'aria-label': text('common.Close') } } },
        },
      }}
    >
      <Notifications position="top-center" limit={3} zIndex={600} pauseResetOnHover="notification" />
    </MantineThemeProvider>
  )
}

/**
 * Says why something was refused: its message, or "Unknown error" with a way to the details. A lost session is told
 * once for all requests that met it, not here.
 */
export function tellRefusal(
  text: Text,
  showDetails: (error: unknown, again?: () => void) => void,
  error: unknown,
  again?: () => void,
): void {
  if (isRefusal(error, 'ErrSessionTimedOut')) return
  const details = { label: text('common.Details'), run: () => showDetails(error, again) }
  const hint = statusHint(text, error)
  toast.error(
    messageOf(text, error),
    isUnexplained(error) ? { ...(hint ? { detail: hint } : {}), action: details } : {},
  )
}

/** Shows refusals by the rules above, from a component. */
export function useTellRefusal(): TellRefusal {
  return use(TellRefusalContext)
}
