import * as endpoints from '@innkeeper/contract/alerts/alerts'
import { limits } from '@innkeeper/contract/text/limits'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'

/** The channels of a server; without one those of the administrators. */
export function useAlertChannels(server: string | undefined) {
  const all = useApiQuery(endpoints.listAlertChannels, {}, { enabled: server === undefined })
  const own = useApiQuery(
    endpoints.listServerAlertChannels,
    { params: { id: server ?? '' } },
    { enabled: server !== undefined },
  )
  return server === undefined ? all : own
}

/** A page of the recent deliveries to these channels. */
export function useAlertDeliveries(server: string | undefined, page: number) {
  const options = { refetchInterval: limits.alertEveryMs, meta: { quiet: true } }
  const all = useApiQuery(
    endpoints.listAlertDeliveries,
    { query: { page } },
    { ...options, enabled: server === undefined, placeholderData: (previous) => previous },
  )
  const own = useApiQuery(
    endpoints.listServerAlertDeliveries,
    { params: { id: server ?? '' }, query: { page } },
    { ...options, enabled: server !== undefined, placeholderData: (previous) => previous },
  )
  return server === undefined ? all : own
}

const stale = { invalidates: [endpoints.listAlertChannels, endpoints.listServerAlertChannels] }

/** A new channel has a target; the form has checked it. */
const withTarget = <T extends { readonly target?: string | undefined }>(input: T): T & { readonly target: string } => ({
  ...input,
  target: input.target ?? '',
})

/** Saves a channel; `id` is `undefined` for a new one. */
export function useSaveChannel(server: string | undefined) {
  const options = { ...stale }
  const create = useApiMutation(endpoints.createAlertChannel, options)
  const replace = useApiMutation(endpoints.putAlertChannel, options)
  const createOwn = useApiMutation(endpoints.createServerAlertChannel, options)
  const replaceOwn = useApiMutation(endpoints.putServerAlertChannel, options)

  return async (id: string | undefined, input: endpoints.ChannelChange, version: string | undefined): Promise<void> => {
    if (server === undefined) {
      if (id === undefined) await create.mutateAsync({ body: withTarget(input) })
      else await replace.mutateAsync({ params: { id }, body: input }, { version })
      return
    }
    const {
      servers: _servers,
      diskFullPercent: _percent,
      ...body
    } = {
      ...input,
      alerts: endpoints.serverAlertTypes.filter((type) => input.alerts.includes(type)),
    }
    if (id === undefined) await createOwn.mutateAsync({ params: { id: server }, body: withTarget(body) })
    else await replaceOwn.mutateAsync({ params: { id: server, channel: id }, body }, { version })
  }
}

interface ChannelActions {
  readonly onDeleted: () => void
  readonly onTested: (result: { readonly delivered: boolean; readonly answer: string }) => void
}

/** Deletes and tests a channel. */
export function useChannelActions(id: string, server: string | undefined, { onDeleted, onTested }: ChannelActions) {
  const remove = useApiMutation(endpoints.deleteAlertChannel, { ...stale, onSuccess: onDeleted })
  const removeOwn = useApiMutation(endpoints.deleteServerAlertChannel, { ...stale, onSuccess: onDeleted })
  const test = useApiMutation(endpoints.testAlertChannel, { onSuccess: onTested })
  const testOwn = useApiMutation(endpoints.testServerAlertChannel, { onSuccess: onTested })
  const own = { params: { id: server ?? '', channel: id } }
  return {
    remove: () => (server === undefined ? remove.mutate({ params: { id } }) : removeOwn.mutate(own)),
    test: () => (server === undefined ? test.mutate({ params: { id } }) : testOwn.mutate(own)),
    isRemoving: remove.isPending || removeOwn.isPending,
    isTesting: test.isPending || testOwn.isPending,
  }
}
