import { deleteServer, listServers, type ServerView } from '@innkeeper/contract/servers/servers'
import { Paper, Stack } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { ActionRow } from '../../ui/lists/action-row.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'

interface DeleteServerProps {
  readonly server: ServerView
  /** The user may open the files, to download them before. */
  readonly canViewFiles: boolean
}

/** The card that deletes the server after its name has been typed. */
export function DeleteServer({ server, canViewFiles }: DeleteServerProps) {
  const t = useT()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const canForce = useCan('servers.delete')
  const { mutate, isPending } = useApiMutation(deleteServer, {
    invalidates: [listServers],
    onSuccess: () => {
      toast.success(t('server.AdminDeleted'))
      return navigate('/server')
    },
    // Offers to delete it without its node while that is unreachable.
    handleError: (error, input) => {
      const canOffer = isRefusal(error, 'ErrServiceNotAvailable') && canForce && input?.query.force === undefined
      if (canOffer) void confirmAndRemove(true)
      return canOffer
    },
  })
  const names = { name: server.name, node: server.node.name }

  const confirmAndRemove = (force: boolean) =>
    confirm({
      title: t(force ? 'server.AdminForceTitle' : 'common.DeleteQuestion', names),
      body: (
        <Stack gap="xs">
          <span>{t(force ? 'server.AdminForceBody' : 'server.AdminDeleteBody', names)}</span>
          <span>{t('server.AdminDeleteBackups')}</span>
        </Stack>
      ),
      action: t(force ? 'server.AdminForce' : 'server.AdminDeleteTitle'),
      typeToConfirm: server.name,
      // While its node is unreachable, so are its files.
      ...(!force &&
        canViewFiles && {
          hint: {
            text: t('server.AdminDeleteHint'),
            link: t('server.AdminOpenFiles'),
            onOpen: () => void navigate(`/server/${server.id}?tab=files`),
          },
        }),
      onConfirm: () => mutate({ params: { id: server.id }, query: force ? { force: 'true' } : {} }),
    })
  return (
    <Paper>
      <ActionRow
        isDangerous
        title={t('server.AdminDeleteTitle')}
        description={t('server.AdminDeleteAbout')}
        icon={IconTrash}
        action={t('common.Delete')}
        loading={isPending}
        onClick={() => void confirmAndRemove(false)}
      />
    </Paper>
  )
}
