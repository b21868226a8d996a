import type { AlertChannel } from '@innkeeper/contract/alerts'
import { Badge, Group, Stack, Text } from '@mantine/core'
import { IconPencil, IconSend, IconTrash } from '@tabler/icons-react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { toast } from '../../ui/toast.tsx'
import { useChannelTypeName } from './channel-types.ts'
import { useChannelActions } from './use-alert-channels.ts'

interface ChannelRowProps {
  readonly channel: AlertChannel
  readonly server: string | undefined
  readonly onEdit: () => void
}

export function ChannelRow({ channel, server, onEdit }: ChannelRowProps) {
  const t = useT()
  const { list } = useFormatters()
  const confirm = useConfirm()
  const typeName = useChannelTypeName()
  const { name } = channel
  const actions = useChannelActions(channel.id, server, {
    onDeleted: () => toast.success(t('common.Deleted', { name })),
    onTested: ({ delivered, answer }) => {
      if (delivered) toast.success(t('alerts.TestDelivered'), { detail: answer })
      else toast.error(t('alerts.TestFailed'), { detail: answer })
    },
  })

  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({ title: t('common.DeleteQuestion', { name }), body: t('alerts.RemoveBody') })
    if (isConfirmed) actions.remove()
  }
  return (
    <Group component="li" px="md" py="xs" gap="sm" wrap="nowrap">
      <Stack gap={0} flex={1} miw={0}>
        <Group gap="xs">
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi>
          </Text>
          <Badge>{typeName(channel.type)}</Badge>
          {!channel.isEnabled && <Badge>{t('common.Off')}</Badge>}
        </Group>
        <Text variant="caption">{list(channel.alerts.map((type) => t(`alerts.On_${type}`)))}</Text>
      </Stack>
      <Group gap="2xs" wrap="nowrap">
        <IconButton label={t('alerts.TestOf', { name })} loading={actions.isTesting} onClick={() => actions.test()}>
          <IconSend size={17} aria-hidden data-flip />
        </IconButton>
        <IconButton label={t('common.EditNamed', { name })} onClick={onEdit}>
          <IconPencil size={17} aria-hidden />
        </IconButton>
        <IconButton
          label={t('common.DeleteNamed', { name })}
          loading={actions.isRemoving}
          onClick={() => void confirmAndRemove()}
        >
          <IconTrash size={17} aria-hidden />
        </IconButton>
      </Group>
    </Group>
  )
}
