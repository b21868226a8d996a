import { Button, Text } from '@mantine/core'
import { randomId } from '@mantine/hooks'
import { type NotificationData, Notifications, notifications } from '@mantine/notifications'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useEffect } from 'react'
import classes from './toast.module.css'
import type { ToastOptions, ToastType } from './toast-message.ts'

const successMs = 2_500
const errorMs = 6_000

const icons = { success: IconCircleCheck, warning: IconAlertTriangle, error: IconCircleX }
const colors = { success: 'var(--ik-online)', warning: 'var(--ik-warning)', error: 'var(--ik-offline)' }
/** A button must be reachable by keyboard before its toast disappears. */
const minWithActionMs = 10_000
/** Below the top bar, in pixels. */
const minTop = 60

/** Shows a toast, or queues it behind those that are shown. */
export function show(type: ToastType, title: string, { id: givenId, detail, action, onGone }: ToastOptions = {}): void {
  const Icon = icons[type]
  const shownMs = type === 'success' ? successMs : errorMs
  let wasActionUsed = false
  const [titleId, closeId] = [randomId(), randomId()]
  placeBelowHeader()
  const data: NotificationData = {
    ...(givenId === undefined ? {} : { id: givenId }),
    title: (
      <>
        <span id={titleId}>{title}</span>
        {detail && (
          <Text component="div" variant="note">
            {detail}
          </Text>
        )}
      </>
    ),
    autoClose: action ? Math.max(shownMs, minWithActionMs) : shownMs,
    role: type === 'success' ? 'status' : 'alert',
    onClose: () => {
      if (!wasActionUsed) onGone?.()
    },
    icon: <Icon size={19} aria-hidden />,
    color: colors[type],
    // Each button is called Close, and by its message: there may be several toasts.
    attributes: { closeButton: { id: closeId, 'aria-labelledby': `${closeId} ${titleId}` } },
    classNames: { icon: classes.icon, body: classes.body, title: classes.title, description: classes.description },
    message: action && (
      <Button
        variant="default"
        size="xs"
        onClick={() => {
          wasActionUsed = true
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
    // It stays while the keyboard focus is inside.
    onFocusCapture: () => notifications.update({ ...data, id, autoClose: false }),
    onBlurCapture: () => notifications.update({ ...data, id }),
  })
}

/** Hides a toast if it is shown. */
export function hide(id: string): void {
  notifications.hide(id)
}

/** Places toasts below elements with `data-keep-clear`, such as a page header, so that they never cover its controls. */
function placeBelowHeader(): void {
  const bottoms = [...document.querySelectorAll('[data-keep-clear]')].map(
    (element) => element.getBoundingClientRect().bottom,
  )
  const top = Math.min(Math.max(minTop, ...bottoms.map((bottom) => bottom + 8)), window.innerHeight / 2)
  document.documentElement.style.setProperty('--ik-toast-top', `${Math.round(top)}px`)
}

/** Renders toasts. F6 moves the focus to the first one. */
export function ToastHost() {
  useEffect(() => {
    const focusFirst = (event: KeyboardEvent) => {
      const button = event.key === 'F6' && document.querySelector<HTMLElement>(`.${classes.container} button`)
      if (!button) return
      event.preventDefault()
      button.focus()
    }
    window.addEventListener('keydown', focusFirst)
    return () => window.removeEventListener('keydown', focusFirst)
  }, [])
  return (
    <Notifications
      className={classes.container}
      position="top-center"
      limit={3}
      zIndex={600}
      pauseResetOnHover="notification"
    />
  )
}
