import { getServer, getUsage, listServers } from '@innkeeper/contract/servers/servers'
import { endSuspension } from '@innkeeper/contract/servers/suspension'
import { useApiMutation } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

/** Ends the suspension of a server. */
export function useEndSuspension(id: string) {
  const t = useT()
  const { mutate, isPending } = useApiMutation(endSuspension, {
    invalidates: [getServer, listServers, getUsage],
    onSuccess: () => toast.success(t('server.SuspensionEnded')),
  })
  return { isPending, end: () => void mutate({ params: { id } }) }
}
