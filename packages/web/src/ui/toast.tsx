import { limits } from '@innkeeper/contract/limits'
import { Button } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { use, useCallback } from 'react'
import { isRefusal } from '../api/request.ts'
import type { TellRefusal } from '../api/use-send.ts'
import { useText } from '../i18n/text.tsx'
import { ErrorDetailsContext, isUnexplained, messageOf, statusHint } from './refusal.tsx'
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
  return <Notifications position="top-center" limit={3} zIndex={400} pauseResetOnHover="notification" />
}

/** Says why something was refused: its message, or "Unknown error" with a way to the details. A lost session is told by the login page. */
export function useTellRefusal(): TellRefusal {
  const text = useText()
  const showDetails = use(ErrorDetailsContext)
  return useCallback<TellRefusal>(
    (error, again) => {
      if (isRefusal(error, 'ErrSessionTimedOut')) return
      const details = { label: text('common.Details'), run: () => showDetails(error, again) }
      const hint = statusHint(text, error)
      toast.error(
        messageOf(text, error),
        isUnexplained(error) ? { ...(hint ? { detail: hint } : {}), action: details } : {},
      )
    },
    [text, showDetails],
  )
}
