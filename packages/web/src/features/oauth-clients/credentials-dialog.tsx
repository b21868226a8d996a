import type { ClientCredentials } from '@innkeeper/contract/accounts/oauth2'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { CopyField } from '../../ui/fields/copy-field.tsx'
import { ApiLink } from './api-link.tsx'

interface CredentialsDialogProps {
  readonly credentials: ClientCredentials
  readonly access: string
  readonly onClose: () => void
}

/** Shows a secret that cannot be shown again: only its confirm button closes the dialog, not Escape or a click beside it. */
export function CredentialsDialog({ credentials, access, onClose }: CredentialsDialogProps) {
  const t = useT()
  return (
    <Modal
      opened
      size={520}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={
        <Group component="span" gap="xs">
          <IconCircleCheck size={20} aria-hidden color="var(--ik-online)" />
          {t('oauth.Created')}
        </Group>
      }
    >
      <Stack>
        <Alert type="warning">{t('oauth.CopyNow')}</Alert>
        <CopyField label={t('oauth.ClientId')} copyLabel={t('oauth.CopyId')} value={credentials.id} />
        <CopyField label={t('oauth.Secret')} copyLabel={t('oauth.CopySecret')} value={credentials.secret} />
        <Text variant="note">{access}</Text>
        <Group justify="space-between" gap="xs">
          <ApiLink />
          <Button onClick={onClose}>{t('oauth.Saved')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
