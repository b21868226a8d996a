import { lazy, Suspense, use, useEffect, useState } from 'react'
import { isRefusal } from '../api/request.ts'
import { type TellRefusal, TellRefusalContext } from '../api/use-send.ts'
import type { Text } from '../i18n/text.tsx'
import { isUnexplained, messageOf, statusHint } from './refusal.tsx'

const loadHost = () => import('./toast-host.tsx')
const Host = lazy(async () => ({ default: (await loadHost()).Toasts }))
/** The event on `window` that says: there is something to show. */
const wantedEvent = 'innkeeper:toast'

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
export type ToastKind = 'success' | 'warning' | 'error'

function show(kind: ToastKind, title: string, options?: ToastOptions): void {
  window.dispatchEvent(new Event(wantedEvent))
  void loadHost().then((host) => host.show(kind, title, options))
}

/** Short messages at the top: at most three at a time, others wait. */
export const toast = {
  success: (title: string, options?: ToastOptions) => show('success', title, options),
  warning: (title: string, options?: ToastOptions) => show('warning', title, options),
  error: (title: string, options?: ToastOptions) => show('error', title, options),
  /** Hides what is not true any more. */
  hide: (id: string) => void loadHost().then((host) => host.hide(id)),
}

/** Where toasts appear; loaded with the first of them. */
export function Toasts() {
  const [isWanted, setIsWanted] = useState(false)
  useEffect(() => {
    const want = () => setIsWanted(true)
    window.addEventListener(wantedEvent, want)
    return () => window.removeEventListener(wantedEvent, want)
  }, [])
  return <Suspense fallback={null}>{isWanted && <Host />}</Suspense>
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
