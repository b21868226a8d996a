import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { CopyField } from '../../ui/fields/copy-field.tsx'

/** The link of an invitation. It cannot be shown again. */
export interface InviteLink {
  readonly email: string
  readonly url: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** Shows the link of an invitation once: only its button closes the dialog, not Escape or a click beside it. */
export function InviteLinkDialog({ link, onClose }: { link: InviteLink; onClose: () => void }) {
  const t = useT()
  const { dateTime } = useFormatters()
  return (
    <Modal
      opened
      size={560}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={t('server-users.LinkTitle', { email: link.email })}
      styles={{ title: { overflowWrap: 'anywhere' } }}
    >
      <Stack>
        <Text>{t('server-users.LinkOnce', { time: dateTime(Date.parse(link.expiresAt)) })}</Text>
        <CopyField label={t('server-users.LinkLabel')} copyLabel={t('server-users.CopyLink')} value={link.url} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('common.Close')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
