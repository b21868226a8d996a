import { limits } from '@innkeeper/contract/limits'
import { Button, MantineThemeProvider } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useText } from '../i18n/text.tsx'
import classes from './toast.module.css'
import type { ToastOptions } from './toast.tsx'

/** Puts a toast up, or in the queue behind those that are. */
export function show(kind: 'success' | 'error', title: string, { detail, action, onGone }: ToastOptions = {}): void {
  const Icon = kind === 'success' ? IconCircleCheck : IconCircleX
  let isUsed = false
  const id = notifications.show({
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
  })
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
