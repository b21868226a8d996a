import { getCredentialCounts } from '@innkeeper/contract/accounts/account'
import { confirmPassword } from '@innkeeper/contract/accounts/auth'
import { Button, Modal, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { confirmByPasskey } from '../../api/passkeys.ts'
import { isRefusal, request } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { ErrorAlert } from '../feedback/error-alert.tsx'
import { DialogButtons } from '../overlays/dialog-buttons.tsx'
import { PasswordField } from './password-field.tsx'

interface PasswordDialogProps {
  readonly email: string
  readonly opened: boolean
  readonly onConfirmed: () => void
  readonly onClose: () => void
}

/** The question can be asked from another dialog, and from a confirmation in it. */
const aboveConfirmations = 220

/** Confirms the password of the user, after which the session may change credentials for a time. */
export function PasswordDialog({ email, opened, onConfirmed, onClose }: PasswordDialogProps) {
  const t = useT()
  const [password, setPassword] = useState('')
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const [isPending, setIsPending] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  // Until it is known, and on older panels, there is a password and no passkey.
  const { data: credentials } = useApiQuery(getCredentialCounts, {}, { enabled: opened, meta: { quiet: true } })
  const hasPassword = credentials?.hasPassword !== false
  const hasPasskey = (credentials?.passkeys ?? 0) > 0
  const isWrong = hasPassword && isRefusal(failure?.error, 'ErrInvalidCredentials')
  // A modal that is mounted open does not know where to return the focus to.
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    setIsShown(opened)
    setPassword('')
    setFailure(undefined)
  }, [opened])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    // React passes events on to the form that the dialog was opened from.
    event.stopPropagation()
    if (password === '' || isPending) return input.current?.focus()
    await confirm(() => request(confirmPassword, { body: { password } }))
  }
  const confirm = async (send: () => Promise<unknown>) => {
    setIsPending(true)
    try {
      await send()
      onConfirmed()
    } catch (error) {
      setFailure({ error })
      input.current?.select()
    } finally {
      setIsPending(false)
    }
  }
  return (
    <Modal opened={isShown} onClose={onClose} zIndex={aboveConfirmations} title={t('errors.ErrPasswordRequired')}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack>
          {failure && !isWrong && <ErrorAlert error={failure.error} />}
          <Text c="dimmed">{t('account.PasswordWhy')}</Text>
          {hasPassword && (
            <>
              {/* Tells password managers which account the password belongs to. */}
              <VisuallyHidden>
                <input autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
              </VisuallyHidden>
              <PasswordField
                ref={input}
                data-autofocus
                label={t('account.CurrentPassword')}
                autoComplete="current-password"
                value={password}
                onChange={(event) => {
                  setPassword(event.currentTarget.value)
                  setFailure(undefined)
                }}
                error={isWrong && t('account.WrongPassword')}
              />
            </>
          )}
          {!hasPassword && !hasPasskey && <Text>{t('account.SignInAgain')}</Text>}
          {hasPasskey && (
            <Button
              variant={hasPassword ? 'default' : 'filled'}
              leftSection={<IconFingerprint size={17} aria-hidden />}
              loading={isPending}
              onClick={() => void confirm(confirmByPasskey)}
            >
              {t('two-factor.UsePasskey')}
            </Button>
          )}
          {hasPassword ? (
            <DialogButtons type="submit" onCancel={onClose} disabled={password === ''} loading={isPending}>
              {t('common.Continue')}
            </DialogButtons>
          ) : (
            <Button variant="subtle" onClick={onClose}>
              {t('common.Cancel')}
            </Button>
          )}
        </Stack>
      </form>
    </Modal>
  )
}
