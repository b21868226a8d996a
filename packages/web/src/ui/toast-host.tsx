import { limits } from '@innkeeper/contract/limits'
import { Button } from '@mantine/core'
import { type NotificationData, Notifications, notifications } from '@mantine/notifications'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useEffect } from 'react'
import classes from './toast.module.css'
import type { ToastOptions, ToastType } from './toast.tsx'

const icons = { success: IconCircleCheck, warning: IconAlertTriangle, error: IconCircleX }
/** A button must be reachable by keyboard before its toast goes. */
const leastWithActionMs = 10_000
/** Below the top bar, in pixels. */
const leastTop = 60

/** Puts a toast up, or in the queue behind those that are. */
export function show(kind: ToastType, title: string, { id: givenId, detail, action, onGone }: ToastOptions = {}): void {
  const Icon = icons[kind]
  const shownMs = kind === 'success' ? limits.toastMs : limits.errorToastMs
  let isUsed = false
  placeBelowHead()
  const data: NotificationData = {
    ...(givenId === undefined ? {} : { id: givenId }),
    title: (
      <>
        <span>{title}</span>
        {detail && <span className={classes.detail}>{detail}</span>}
      </>
    ),
    autoClose: action ? Math.max(shownMs, leastWithActionMs) : shownMs,
    role: kind === 'success' ? 'status' : 'alert',
    onClose: () => {
      if (!isUsed) onGone?.()
    },
    icon: <Icon size={19} aria-hidden />,
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

/** Hides a toast, if it is there. */
export function hide(id: string): void {
  notifications.hide(id)
}

/**
 * Toasts stand below what is marked with `data-keep-clear`, the head of a page with its controls: in an emergency
 * nothing may lie over them.
 */
function placeBelowHead(): void {
  const bottoms = [...document.querySelectorAll('[data-keep-clear]')].map(
    (element) => element.getBoundingClientRect().bottom,
  )
  const top = Math.min(Math.max(leastTop, ...bottoms.map((bottom) => bottom + 8)), window.innerHeight / 2)
  document.documentElement.style.setProperty('--ik-toast-top', `${Math.round(top)}px`)
}

/** Where toasts appear; F6 goes to the first of them. */
export function Toasts() {
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
    <Notifications
      className={classes.place ?? ''}
      position="top-center"
      limit={3}
      zIndex={600}
      pauseResetOnHover="notification"
    />
  )
}
