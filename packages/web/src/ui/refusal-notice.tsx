import { Button } from '@mantine/core'
import { use } from 'react'
import { useText } from '../i18n/text.tsx'
import { Notice } from './notice.tsx'
import { ErrorDetailsContext, isUnexplained, messageOf } from './refusal.tsx'

interface RefusalNoticeProps {
  /** Without one, `message` says it all. */
  readonly error: unknown
  /** Said instead of the error's own message. */
  readonly message?: string
}

/** Why a form could not be sent, above the form. A refusal that explains nothing leads to the details of its request. */
export function RefusalNotice({ error, message }: RefusalNoticeProps) {
  const text = useText()
  const showDetails = use(ErrorDetailsContext)
  return (
    <Notice
      kind="error"
      action={
        error !== undefined &&
        isUnexplained(error) && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => showDetails(error)}>
            {text('common.Details')}
          </Button>
        )
      }
    >
      {message ?? messageOf(text, error)}
    </Notice>
  )
}
