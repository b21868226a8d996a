import { createContext, type ReactNode, useCallback, useRef, useState } from 'react'
import { captureKeysForDialog } from '../hotkeys/key-capture.ts'
import { lazyOverlay } from './lazy-overlay.tsx'
import { usePreload } from './use-preload.ts'

const load = async () => (await import('./confirm-dialog.tsx')).ConfirmDialog
const ConfirmDialog = lazyOverlay(load)

export interface ConfirmOptions {
  readonly title: string
  readonly body?: ReactNode
  /** Label of the button, verb and object: "Delete server". Default: "Delete". */
  readonly action?: string
  /** If false, nothing is lost. Default: true. */
  readonly danger?: boolean
  /** A warning with a link to what the user may want to do first. */
  readonly hint?: { readonly text: string; readonly link: string; readonly onOpen: () => void }
  /** The name that the user must type to enable the button. */
  readonly typeToConfirm?: string
  /** Label of a switch that the user must turn on to enable the button. */
  readonly acknowledgement?: string
  readonly onConfirm?: () => unknown
}

export type Confirm = (options: ConfirmOptions) => Promise<boolean>
export const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false))

/** Provides `useConfirm` and renders its dialog. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [options, setOptions] = useState<ConfirmOptions>()
  const [isOpen, setIsOpen] = useState(false)
  usePreload(load)
  const resolvePending = useRef<(isConfirmed: boolean) => void>(() => undefined)

  const close = useCallback((isConfirmed: boolean) => {
    setIsOpen(false)
    resolvePending.current(isConfirmed)
  }, [])
  const confirm = useCallback<Confirm>(
    async (next) => {
      const isConfirmed = await new Promise<boolean>((resolve) => {
        resolvePending.current(false)
        resolvePending.current = resolve
        captureKeysForDialog({ onEscape: () => close(false) })
        setOptions(next)
        setIsOpen(true)
      })
      if (isConfirmed) await next.onConfirm?.()
      return isConfirmed
    },
    [close],
  )
  return (
    <ConfirmContext value={confirm}>
      {children}
      {options && (
        <ConfirmDialog options={options} opened={isOpen} onConfirm={() => close(true)} onClose={() => close(false)} />
      )}
    </ConfirmContext>
  )
}
