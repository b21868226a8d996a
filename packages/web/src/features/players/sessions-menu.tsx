import {
  deleteAllPlayerSessions,
  exportPlayerSessions,
  listSeenPlayers,
  type SessionExportFormat,
  sessionExportFormats,
} from '@innkeeper/contract/servers/player-sessions'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { Menu } from '@mantine/core'
import { IconDownload, IconTrash } from '@tabler/icons-react'
import { downloadBytes } from '../../api/upload-download.ts'
import { useAction, useApiMutation } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { saveAsFile } from '../../ui/feedback/save-as-file.ts'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'

interface SessionsMenuProps {
  readonly server: string
  readonly canDelete: boolean
}

/** Exports all sessions of players, or deletes them. */
export function SessionsMenu({ server, canDelete }: SessionsMenuProps) {
  const t = useT()
  const confirm = useConfirm()
  const download = useAction(async (format: SessionExportFormat) => {
    const response = await downloadBytes(exportPlayerSessions, { params: { id: server }, query: { format } })
    saveAsFile(`${server}-players.${format}`, await response.blob())
  })
  const { mutate } = useApiMutation(deleteAllPlayerSessions, { invalidates: [listSeenPlayers, getPlayers] })
  const removeAll = () =>
    confirm({
      title: t('players.DeleteAllQuestion'),
      body: t('players.DeleteBody'),
      action: t('players.DeleteAll'),
      onConfirm: () => mutate({ params: { id: server } }),
    })
  return (
    <IconMenu label={t('players.AllSessions')} button={{ loading: download.isPending }}>
      {sessionExportFormats.map((format) => (
        <Menu.Item
          key={format}
          leftSection={<IconDownload size={17} aria-hidden />}
          onClick={() => void download.mutate(format)}
        >
          {t(`players.Export_${format}`)}
        </Menu.Item>
      ))}
      {canDelete && (
        <Menu.Item
          color="var(--ik-offline)"
          leftSection={<IconTrash size={17} aria-hidden />}
          onClick={() => void removeAll()}
        >
          {t('players.DeleteAll')}
        </Menu.Item>
      )}
    </IconMenu>
  )
}
