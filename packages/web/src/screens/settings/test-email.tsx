import { listMail } from '@innkeeper/contract/mail'
import { sendTestMail } from '@innkeeper/contract/settings'
import { Box, Button, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/alert.tsx'
import { CodeText } from '../../ui/code-text.tsx'

/** Sends an email to the signed-in user with the saved settings, and shows the provider's response. */
export function TestEmail({ isDirty, save }: { isDirty: boolean; save: () => Promise<boolean> }) {
  const t = useT()
  const { self } = useSession()
  const [result, setResult] = useState<{ readonly delivered: boolean; readonly answer: string }>()
  const { mutate, isPending } = useApiMutation(sendTestMail, { invalidates: [listMail], onSuccess: setResult })

  const sendTest = async () => {
    setResult(undefined)
    if (!isDirty || (await save())) mutate({ body: {} })
  }
  return (
    <>
      {result && (
        <Box flex="1 0 100%">
          <Alert type={result.delivered ? 'success' : 'error'}>
            <Text inherit fw={500}>
              {result.delivered ? t('settings.TestDelivered', { email: self?.email ?? '' }) : t('settings.TestFailed')}
            </Text>
            <Text inherit style={{ whiteSpace: 'pre-wrap' }}>
              <CodeText>{result.answer}</CodeText>
            </Text>
          </Alert>
        </Box>
      )}
      <Button
        variant="default"
        loading={isPending}
        leftSection={<IconSend size={16} aria-hidden data-flip />}
        onClick={() => void sendTest()}
      >
        {t(isDirty ? 'settings.SaveAndTest' : 'settings.Test')}
      </Button>
    </>
  )
}
