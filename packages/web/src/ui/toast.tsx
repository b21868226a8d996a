import { limits } from '@innkeeper/contract/limits'
import { use, useEffect, useState } from 'react'
import { isRefusal } from '../api/request.ts'
import { withTimeout } from '../api/timeout.ts'
import { type ShowError, ShowErrorContext } from '../api/use-api-mutation.ts'
import type { TFunction } from '../i18n/i18n.tsx'
import { errorMessage, isUnknownError, statusText } from './error-message.ts'
import { type Message, ToastFallback } from './toast-fallback.tsx'
import { lazySource, useLazyComponent } from './use-lazy-component.ts'

const loadHost = () => withTimeout(import('./toast-host.tsx'), limits.viewLoadMs)
const host = lazySource(async () => (await loadHost()).Toasts)
/** The event on `window` that says: there is something to show. */
const wantedEvent = 'innkeeper:toast'
/** The event on `window` with a `Message` that cannot be shown as a toast. */
const failedEvent = 'innkeeper:toast-failed'

export interface ToastOptions {
  /** Hides it again: see `toast.hide`. */
  readonly id?: string
  /** A second, quieter line. */
  readonly detail?: string
  /** A button at its end. */
  readonly action?: { readonly label: string; readonly run: () => void }
  /** It is gone and nobody used its action. */
  readonly onGone?: () => void
}

/** What a toast is about: `warning` for what still works, but not as well. */
export type ToastType = 'success' | 'warning' | 'error'

function show(kind: ToastType, title: string, options: ToastOptions = {}): void {
  window.dispatchEvent(new Event(wantedEvent))
  loadHost().then(
    (loaded) => loaded.show(kind, title, options),
    (error: unknown) => {
      console.error(error)
      window.dispatchEvent(new CustomEvent<Message>(failedEvent, { detail: { kind, title, options } }))
    },
  )
}

/** Short messages at the top: at most three at a time, others wait. */
export const toast = {
  success: (title: string, options?: ToastOptions) => show('success', title, options),
  warning: (title: string, options?: ToastOptions) => show('warning', title, options),
  error: (title: string, options?: ToastOptions) => show('error', title, options),
  /** Hides what is not true any more. */
  hide(id: string): void {
    loadHost().then(
      (loaded) => loaded.hide(id),
      // Where the code cannot be loaded there is no toast to hide.
      () => undefined,
    )
  },
}

/** Where toasts appear; loaded with the first of them. */
export function Toasts() {
  const [wanted, setWanted] = useState(0)
  const [failed, setFailed] = useState<readonly Message[]>([])
  // A failure is reported with each toast.
  const Host = useLazyComponent(host, { isWanted: wanted > 0, attempt: wanted, onFailure: () => undefined })
  useEffect(() => {
    const want = () => setWanted((times) => times + 1)
    const fail = (event: Event) => setFailed((all) => [...all, (event as CustomEvent<Message>).detail])
    window.addEventListener(wantedEvent, want)
    window.addEventListener(failedEvent, fail)
    return () => {
      window.removeEventListener(wantedEvent, want)
      window.removeEventListener(failedEvent, fail)
    }
  }, [])
  return (
    <>
      {Host && <Host />}
      {failed.length > 0 && (
        <ToastFallback
          messages={failed}
          onRemove={(message) => setFailed((all) => all.filter((other) => other !== message))}
        />
      )}
    </>
  )
}

/**
 * Says why something was refused: its message, or "Unknown error" with a way to the details. A lost session is told
 * once for all requests that met it, not here.
 */
export function showErrorToast(
  t: TFunction,
  showDetails: (error: unknown, retry?: () => void) => void,
  error: unknown,
  again?: () => void,
): void {
  if (isRefusal(error, 'ErrSessionTimedOut')) return
  const details = { label: t('common.Details'), run: () => showDetails(error, again) }
  const hint = statusText(t, error)
  toast.error(
    errorMessage(t, error),
    isUnknownError(error) ? { ...(hint ? { detail: hint } : {}), action: details } : {},
  )
}

/** Shows refusals by the rules above, from a component. */
export function useShowError(): ShowError {
  return use(ShowErrorContext)
}
