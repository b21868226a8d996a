import { useEffect, useState } from 'react'
import { Emitter } from '../../api/emitter.ts'
import { loadCode } from '../../api/load-code.ts'
import { isRefusal } from '../../api/request.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { lazySource, useLazyComponent } from '../hooks/use-lazy-component.ts'
import { errorMessage, isUnknownError, statusText } from '../text/error-message.ts'
import { ToastFallback } from './toast-fallback.tsx'
import type { Message, ToastOptions, ToastType } from './toast-message.ts'

const loadHost = () => loadCode(() => import('./toast-host.tsx'))
const host = lazySource(async () => (await loadHost()).ToastHost)
const toastRequested = new Emitter()
/** Messages that could not be shown as a toast. */
const toastFailed = new Emitter<Message>()

function show(type: ToastType, title: string, options: ToastOptions = {}): void {
  toastRequested.emit()
  loadHost().then(
    (loaded) => loaded.show(type, title, options),
    (error: unknown) => {
      console.error(error)
      toastFailed.emit({ type, title, options })
    },
  )
}

/** Short messages at the top. At most three are shown at a time; others are queued. */
export const toast = {
  success: (title: string, options?: ToastOptions) => show('success', title, options),
  warning: (title: string, options?: ToastOptions) => show('warning', title, options),
  error: (title: string, options?: ToastOptions) => show('error', title, options),
  /** Hides a toast that is no longer true. */
  hide(id: string): void {
    loadHost().then(
      (loaded) => loaded.hide(id),
      // Without the code there is no toast to hide.
      () => undefined,
    )
  },
}

/** Renders toasts. The code is loaded with the first toast. */
export function Toasts() {
  const [requests, setRequests] = useState(0)
  const [failed, setFailed] = useState<readonly Message[]>([])
  // `show` handles the failure of each toast.
  const Host = useLazyComponent(host, { isWanted: requests > 0, attempt: requests, onFailure: () => undefined })
  useEffect(() => toastRequested.on(() => setRequests((count) => count + 1)), [])
  useEffect(() => toastFailed.on((message) => setFailed((messages) => [...messages, message])), [])
  return (
    <>
      {Host && <Host />}
      {failed.length > 0 && (
        <ToastFallback
          messages={failed}
          onRemove={(message) => setFailed((messages) => messages.filter((other) => other !== message))}
        />
      )}
    </>
  )
}

/**
 * Shows an error: its message, or "Unknown error" with a button for the details. An expired session is not shown:
 * the sign-in page says so. Nor is that the user did not confirm the password.
 */
export function showErrorToast(
  t: TFunction,
  showDetails: (error: unknown, retry?: () => void) => void,
  error: unknown,
  retry?: () => void,
): void {
  if (isRefusal(error, 'ErrSessionTimedOut', 'ErrPasswordRequired')) return
  const action = { label: t('common.Details'), run: () => showDetails(error, retry) }
  const options = isUnknownError(error) ? { detail: statusText(t, error) || undefined, action } : {}
  toast.error(errorMessage(t, error), options)
}
