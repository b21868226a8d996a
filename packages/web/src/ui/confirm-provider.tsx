import { createContext, type ReactNode, useCallback, useRef, useState } from 'react'
import { lazyOverlay } from './lazy-overlay.tsx'
import { captureKeysForDialog } from './type-ahead.ts'
import { useWhenIdle } from './use-idle.ts'

const load = async () => (await import('./confirm-dialog.tsx')).ConfirmDialog
const ConfirmDialog = lazyOverlay(load)

export interface ConfirmOptions {
  readonly title: string
  readonly body?: ReactNode
  /** The verb and its object, as the button says them: "Delete server". */
  readonly action: string
  readonly danger?: boolean
  /** The name a person must type before the button works. */
  readonly typeToConfirm?: string
  /** What a person must say they understand, with a switch, before the button works. */
  readonly acknowledgement?: string
}

export type Confirm = (question: ConfirmOptions) => Promise<boolean>
export const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false))

/** Holds the dialog of `useConfirm`. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<ConfirmOptions>()
  const [isOpen, setIsOpen] = useState(false)
  useWhenIdle(load)
  const answering = useRef<(yes: boolean) => void>(() => undefined)

  const answer = useCallback((yes: boolean) => {
    setIsOpen(false)
    answering.current(yes)
  }, [])
  const confirm = useCallback<Confirm>(
    (asked) =>
      new Promise((resolve) => {
        answering.current(false)
        answering.current = resolve
        captureKeysForDialog({ onEscape: () => answer(false) })
        setQuestion(asked)
        setIsOpen(true)
      }),
    [answer],
  )
  return (
    <ConfirmContext value={confirm}>
      {children}
      {question && (
        <ConfirmDialog
          question={question}
          opened={isOpen}
          onConfirm={() => answer(true)}
          onClose={() => answer(false)}
        />
      )}
    </ConfirmContext>
  )
}
