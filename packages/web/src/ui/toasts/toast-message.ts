export interface ToastOptions {
  /** For `toast.hide`. */
  readonly id?: string
  /** A second line. */
  readonly detail?: string | undefined
  /** A button at its end. */
  readonly action?: { readonly label: string; readonly run: () => void }
  /** Called when it was closed without its action. */
  readonly onGone?: () => void
}

/** `warning`: it works, but with limits. */
export type ToastType = 'success' | 'warning' | 'error'

export interface Message {
  readonly type: ToastType
  readonly title: string
  readonly options: ToastOptions
}
