import { createContext, lazy, type ReactNode, Suspense, useCallback, useRef, useState } from 'react'

const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }))

export interface Question {
  readonly title: string
  readonly body?: ReactNode
  /** The verb and its object, as the button says them: "Delete server". */
  readonly action: string
  readonly danger?: boolean
  /** The name a person must type before the button works. */
  readonly typeToConfirm?: string
  /** What a person must say they understand, with a switch, before the button works. */
  readonly understand?: string
}

export type Confirm = (question: Question) => Promise<boolean>
export const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false))

/** Holds the dialog of `useConfirm`. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>()
  const [isOpen, setIsOpen] = useState(false)
  const answering = useRef<(yes: boolean) => void>(() => undefined)

  const confirm = useCallback<Confirm>(
    (asked) =>
      new Promise((resolve) => {
        answering.current(false)
        answering.current = resolve
        setQuestion(asked)
        setIsOpen(true)
      }),
    [],
  )
  const answer = (yes: boolean) => {
    setIsOpen(false)
    answering.current(yes)
  }

  return (
    <ConfirmContext value={confirm}>
      {children}
      <Suspense fallback={null}>
        {question && <ConfirmDialog question={question} isOpen={isOpen} answer={answer} />}
      </Suspense>
    </ConfirmContext>
  )
}
