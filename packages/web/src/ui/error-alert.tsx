import { Button } from '@mantine/core'
import { use } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Alert } from './alert.tsx'
import { ErrorDetailsContext, errorMessage, isUnknownError } from './error-message.ts'

interface ErrorAlertProps {
  /** Without one, `message` says it all. */
  readonly error: unknown
  /** Said instead of the error's own message. */
  readonly message?: string
}

/** Why a form could not be sent, above the form. A refusal that explains nothing leads to the details of its request. */
export function ErrorAlert({ error, message }: ErrorAlertProps) {
  const t = useT()
  const showDetails = use(ErrorDetailsContext)
  return (
    <Alert
      type="error"
      action={
        error !== undefined &&
        isUnknownError(error) && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => showDetails(error)}>
            {t('common.Details')}
          </Button>
        )
      }
    >
      {message ?? errorMessage(t, error)}
    </Alert>
  )
}
