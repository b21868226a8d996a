import { createContext, type ReactNode, useCallback, useRef, useState } from 'react'
import { captureKeysForDialog } from '../../hotkeys/key-capture.ts'
import { lazyOverlay } from '../loading/lazy-overlay.tsx'
import { usePreload } from '../loading/use-preload.ts'
import type { ConfirmOptions } from './confirm-dialog.tsx'

const load = async () => (await import('./confirm-dialog.tsx')).ConfirmDialog
const ConfirmDialog = lazyOverlay(load)

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
