import { useCallback, useEffect, useRef, useState } from 'react'
import { type AskForPassword, onPasswordRequired } from '../../api/request.ts'
import { captureKeysForDialog } from '../../hotkeys/key-capture.ts'
import { useSession } from '../../session/session.tsx'
import { lazyOverlay } from '../loading/lazy-overlay.tsx'

const PasswordDialog = lazyOverlay(async () => (await import('./password-dialog.tsx')).PasswordDialog)

/** Asks for the password when a request needs it. */
export function PasswordPrompt() {
  const { self, isSignedIn } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const resolvePending = useRef<(isConfirmed: boolean) => void>(() => undefined)

  const close = useCallback((isConfirmed: boolean) => {
    setIsOpen(false)
    resolvePending.current(isConfirmed)
  }, [])
  useEffect(() => {
    const ask: AskForPassword = () =>
      new Promise<boolean>((resolve) => {
        resolvePending.current = resolve
        captureKeysForDialog({ onEscape: () => close(false) })
        setWasOpened(true)
        setIsOpen(true)
      })
    return onPasswordRequired(ask)
  }, [close])
  useEffect(() => {
    if (!isSignedIn) close(false)
  }, [isSignedIn, close])

  return (
    wasOpened && (
      <PasswordDialog
        email={self?.email ?? ''}
        opened={isOpen}
        onConfirmed={() => close(true)}
        onClose={() => close(false)}
      />
    )
  )
}
