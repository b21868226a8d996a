import type { ClientCredentials } from '@innkeeper/contract/oauth2'
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCircleCheck, IconCopy } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { codeInputProps } from '../../ui/code-input.ts'
import { copiedMs } from '../../ui/copied-duration.ts'
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

function CopyField({ label, copyLabel, value }: { label: string; copyLabel: string; value: string }) {
  const t = useT()
  const { copied, copy, error } = useClipboard({ timeout: copiedMs })
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      {/* A long secret is shown whole on a phone, too. */}
      <Textarea
        readOnly
        autosize
        minRows={1}
        flex={1}
        label={label}
        value={value}
        {...codeInputProps}
        error={error ? t('oauth.CopyFailed') : undefined}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant="default"
        aria-label={copied ? t('common.Copied') : copyLabel}
        {...(copied ? { c: 'var(--ik-online)' } : {})}
        leftSection={copied ? <IconCheck size={17} aria-hidden /> : <IconCopy size={17} aria-hidden />}
        onClick={() => copy(value)}
      >
        {copied ? t('common.Copied') : t('common.Copy')}
      </Button>
    </Group>
  )
}
