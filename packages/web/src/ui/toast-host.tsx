import { limits } from '@innkeeper/contract/limits'
import { Button, MantineThemeProvider } from '@mantine/core'
import { type NotificationData, Notifications, notifications } from '@mantine/notifications'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useText } from '../i18n/text.tsx'
import classes from './toast.module.css'
import type { ToastOptions } from './toast.tsx'

/** Puts a toast up, or in the queue behind those that are. */
export function show(kind: 'success' | 'error', title: string, { detail, action, onGone }: ToastOptions = {}): void {
  const Icon = kind === 'success' ? IconCircleCheck : IconCircleX
  let isUsed = false
  const data: NotificationData = {
    title: (
      <>
        <span>{title}</span>
        {detail && <span className={classes.detail}>{detail}</span>}
      </>
    ),
    autoClose: kind === 'success' ? limits.toastMs : limits.errorToastMs,
    role: kind === 'success' ? 'status' : 'alert',
    onClose: () => {
      if (!isUsed) onGone?.()
    },
    icon: <Icon size={19} stroke={1.6} aria-hidden />,
    className: classes[kind] ?? '',
    classNames: {
      icon: classes.icon ?? '',
      title: classes.title ?? '',
      body: classes.body ?? '',
      description: classes.description ?? '',
    },
    message: action && (
      <Button
        variant="default"
        size="xs"
        onClick={() => {
          isUsed = true
          notifications.hide(id)
          action.run()
        }}
      >
        {action.label}
      </Button>
    ),
  }
  const id = notifications.show({
    ...data,
    // It stays as long as somebody is at it with the keyboard.
    onFocusCapture: () => notifications.update({ ...data, id, autoClose: false }),
    onBlurCapture: () => notifications.update({ ...data, id }),
  })
}

/** Where toasts appear; F6 goes to the first of them. */
export function Toasts() {
  const text = useText()
  useEffect(() => {
    const go = (event: KeyboardEvent) => {
      const button = event.key === 'F6' && document.querySelector<HTMLElement>(`.${classes.place} button`)
      if (!button) return
      event.preventDefault()
      button.focus()
    }
    window.addEventListener('keydown', go)
    return () => window.removeEventListener('keydown', go)
  }, [])
  return (
    <MantineThemeProvider
      inherit
      theme={{
        components: {
          Notification: { defaultProps: { closeButtonProps: { 'aria-label': text('common.Close') } } },
        },
      }}
    >
      <Notifications
        className={classes.place ?? ''}
        position="top-center"
        limit={3}
        zIndex={600}
        pauseResetOnHover="notification"
      />
    </MantineThemeProvider>
  )
}
