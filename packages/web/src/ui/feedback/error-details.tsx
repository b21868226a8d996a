import { Button, Code, DataList, Group, Modal, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconLock } from '@tabler/icons-react'
import { getRequestDetails, isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { CodeText } from '../text/code-text.tsx'
import { CopyTextButton } from '../text/copy-button.tsx'
import { errorMessage, isUnknownError, statusText } from '../text/error-message.ts'

interface ErrorDetailsProps {
  readonly error: unknown
  readonly retry: (() => void) | undefined
  readonly opened: boolean
  readonly onClose: () => void
}

/** The failed request without its secrets, to read or to copy. */
export function ErrorDetails({ error, retry, opened, onClose }: ErrorDetailsProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const request = getRequestDetails(error)
  const code = isRefusal(error) ? (error.unknown?.code ?? error.code) : 'ErrUnknownError'
  const body = request?.body === undefined ? '' : JSON.stringify(request.body, null, 2)
  const authorization = request?.authorization ? `Authorization: ${request.authorization}` : ''
  const requestLine = [request && `${request.method} ${request.path}`, body ? '' : authorization]
    .filter(Boolean)
    .join('\n')
  const status = request?.status === 0 ? t('errors.NoAnswer') : statusText(t, error)

  const rows = [
    { label: t('errors.Error'), value: code, isCode: true },
    ...(status ? [{ label: t('errors.Status'), value: status }] : []),
    ...(request ? [{ label: t('errors.Request'), value: requestLine, isCode: true }] : []),
    ...(request ? [{ label: t('errors.Time'), value: dateTime(request.timestamp) }] : []),
  ]
  const plainText = [...rows.map(({ label, value }) => `${label}: ${value}`), body, body && authorization]
    .filter(Boolean)
    .join('\n')

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size={600}
      zIndex={500}
      title={
        <Group gap="sm">
          <IconAlertTriangle size={20} color="var(--ik-offline)" aria-hidden />
          {t('errors.DetailsTitle')}
        </Group>
      }
    >
      <Stack>
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {isUnknownError(error) && request && request.status >= 500
            ? t(request.method === 'GET' ? 'errors.PanelFailedReading' : 'errors.PanelFailedWriting')
            : errorMessage(t, error)}
        </Text>
        <DataList
          labelWidth="6.875rem"
          gap="xs"
          fz="compact"
          style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}
        >
          {rows.map(({ label, value, isCode }) => (
            <DataList.Item key={label}>
              <DataList.ItemLabel>{label}</DataList.ItemLabel>
              <DataList.ItemValue>{isCode ? <CodeText>{value}</CodeText> : value}</DataList.ItemValue>
            </DataList.Item>
          ))}
        </DataList>
        {body && (
          <Stack gap="xs">
            <Group justify="space-between" gap="xs">
              <Text fz="compact" fw={500}>
                {t('errors.RequestBody')}
              </Text>
              <Group gap="2xs" fz="xs" c="var(--ik-subtle)">
                <IconLock size={13} aria-hidden />
                {t('errors.PasswordsMasked')}
              </Group>
            </Group>
            {/* A scrolling region must be reachable by keyboard. */}
            <Code block dir="ltr" tabIndex={0} mah="15rem" bg="var(--ik-console)" bd="1px solid var(--ik-border)">
              {body}
              {'\n'}
              <Text span inherit c="var(--ik-console-dim)">
                {authorization}
              </Text>
            </Code>
          </Stack>
        )}
        <Group gap="xs" justify="flex-end">
          <CopyTextButton me="auto" value={plainText} text={t('common.CopyAsText')} />
          <Button variant="subtle" onClick={onClose}>
            {t('common.Close')}
          </Button>
          {retry && (
            <Button
              data-autofocus
              onClick={() => {
                onClose()
                retry()
              }}
            >
              {t('common.TryAgain')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
