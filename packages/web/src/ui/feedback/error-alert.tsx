import { Button, Text } from '@mantine/core'
import { use } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { ErrorDetailsContext, errorMessage, isUnknownError, statusText } from '../text/error-message.ts'
import { Alert } from './alert.tsx'

interface ErrorAlertProps {
  /** Without an error, only `message` is shown. */
  readonly error: unknown
  /** Replaces the error's own message. */
  readonly message?: string
}

/** An error above a form. An unknown error has its HTTP status, and a button that opens the details of the request. */
export function ErrorAlert({ error, message }: ErrorAlertProps) {
  const t = useT()
  const showDetails = use(ErrorDetailsContext)
  const isUnknown = error !== undefined && isUnknownError(error)
  const status = isUnknown && statusText(t, error)
  return (
    <Alert
      type="error"
      action={
        isUnknown && (
          <Button variant="subtle" size="compact-sm" onClick={() => showDetails(error)}>
            {t('common.Details')}
          </Button>
        )
      }
    >
      {message ?? errorMessage(t, error)}
      {status && <Text variant="note">{status}</Text>}
    </Alert>
  )
}
