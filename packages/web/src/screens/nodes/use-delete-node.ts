import { deleteNode, listNodes, type Node } from '@innkeeper/contract/nodes/nodes'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'

/** Deletes a node after its name has been typed. */
export function useDeleteNode(node: Node, onDeleted?: () => void) {
  const t = useT()
  const confirm = useConfirm()
  const canDeleteServers = useCan('servers.delete')
  const { mutate, isPending } = useApiMutation(deleteNode, {
    invalidates: [listNodes],
    onSuccess: () => {
      toast.success(t('common.Deleted', { name: node.name }))
      onDeleted?.()
    },
    // While the node has servers, offers to delete these from the panel too.
    handleError: (error) => {
      if (!isRefusal(error, 'ErrNodeHasServers')) return false
      const servers = String(error.metadata.servers)
      if (canDeleteServers) void confirmAndForce(servers)
      else toast.error(t('nodes.HasServers', { servers }))
      return true
    },
  })
  const confirmAndForce = (servers: string) =>
    confirm({
      title: t('nodes.ForceTitle', { name: node.name }),
      body: t('nodes.ForceBody', { servers }),
      action: t('nodes.Force'),
      typeToConfirm: node.name,
      onConfirm: () => mutate({ params: { id: node.id }, query: { force: 'true' } }),
    })
  const remove = () =>
    confirm({
      title: t('common.DeleteQuestion', { name: node.name }),
      body: t('nodes.DeleteBody'),
      action: t('nodes.Delete'),
      typeToConfirm: node.name,
      onConfirm: () => mutate({ params: { id: node.id }, query: {} }),
    })
  return { remove, isPending }
}
