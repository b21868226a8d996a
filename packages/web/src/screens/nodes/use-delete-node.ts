import { deleteNode, listNodes, type Node } from '@innkeeper/contract/nodes'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { toast, useShowError } from '../../ui/toast.tsx'

/** Deletes a node after its name has been typed. `remove` resolves with whether it was deleted. */
export function useDeleteNode(node: Node): {
  readonly remove: () => Promise<boolean>
  readonly isPending: boolean
} {
  const t = useT()
  const showError = useShowError()
  const confirm = useConfirm()
  const canDeleteServers = useCan('servers.delete')
  const { mutateAsync, isPending } = useApiMutation(deleteNode, { silent: true, invalidates: [listNodes] })

  /** While the node has servers, offers to delete these from the panel too. */
  const deleteWithServers = async (force: boolean): Promise<boolean> => {
    try {
      await mutateAsync({ params: { id: node.id }, query: force ? { force: 'true' } : {} })
      return true
    } catch (error) {
      const servers = isRefusal(error, 'ErrNodeHasServers') ? String(error.metadata.servers) : undefined
      if (servers === undefined) showError(error)
      else if (canDeleteServers) return (await confirmForce(servers)) && (await deleteWithServers(true))
      else toast.error(t('nodes.HasServers', { servers }))
      return false
    }
  }
  const confirmForce = (servers: string) =>
    confirm({
      title: t('nodes.ForceTitle', { name: node.name }),
      body: t('nodes.ForceBody', { servers }),
      action: t('nodes.Force'),
      typeToConfirm: node.name,
    })
  const remove = async (): Promise<boolean> => {
    const isConfirmed = await confirm({
      title: t('common.DeleteQuestion', { name: node.name }),
      body: t('nodes.DeleteBody'),
      action: t('nodes.Delete'),
      typeToConfirm: node.name,
    })
    if (!isConfirmed || !(await deleteWithServers(false))) return false
    toast.success(t('common.Deleted', { name: node.name }))
    return true
  }
  return { remove, isPending }
}
