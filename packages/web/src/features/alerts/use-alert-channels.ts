import * as calls from '@innkeeper/contract/alerts'
import { limits } from '@innkeeper/contract/limits'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ifMatch, useApiQuery } from '../../api/use-api-query.ts'

/** The channels of a server; without one those of the administrators. */
export function useAlertChannels(server: string | undefined) {
  const all = useApiQuery(calls.listAlertChannels, {}, { enabled: server === undefined })
  const own = useApiQuery(
    calls.listServerAlertChannels,
    { params: { id: server ?? '' } },
    { enabled: server !== undefined },
  )
  return server === undefined ? all : own
}

/** A page of the recent deliveries to these channels. */
export function useAlertDeliveries(server: string | undefined, page: number) {
  const options = { refetchInterval: limits.alertEveryMs, meta: { quiet: true } }
  const all = useApiQuery(
    calls.listAlertDeliveries,
    { query: { page } },
    { ...options, enabled: server === undefined, placeholderData: (previous) => previous },
  )
  const own = useApiQuery(
    calls.listServerAlertDeliveries,
    { params: { id: server ?? '' }, query: { page } },
    { ...options, enabled: server !== undefined, placeholderData: (previous) => previous },
  )
  return server === undefined ? all : own
}

const stale = { invalidates: [calls.listAlertChannels, calls.listServerAlertChannels] }

/** Saves a channel; `id` is `undefined` for a new one. */
export function useSaveChannel(server: string | undefined) {
  const options = { ...stale, silent: true }
  const create = useApiMutation(calls.createAlertChannel, options)
  const replace = useApiMutation(calls.putAlertChannel, options)
  const createOwn = useApiMutation(calls.createServerAlertChannel, options)
  const replaceOwn = useApiMutation(calls.putServerAlertChannel, options)

  return async (id: string | undefined, input: calls.ChannelInput, version: string | undefined): Promise<void> => {
    if (server === undefined) {
      if (id === undefined) await create.mutateAsync({ body: input })
      else await replace.mutateAsync({ params: { id }, body: input }, ifMatch(version))
      return
    }
    const {
      servers: _servers,
      diskFullPercent: _percent,
      ...body
    } = {
      ...input,
      alerts: calls.serverAlertTypes.filter((one) => input.alerts.includes(one)),
    }
    if (id === undefined) await createOwn.mutateAsync({ params: { id: server }, body })
    else await replaceOwn.mutateAsync({ params: { id: server, channel: id }, body }, ifMatch(version))
  }
}

interface ChannelActions {
  readonly onDeleted: () => void
  readonly onTested: (result: { readonly delivered: boolean; readonly answer: string }) => void
}

/** Deletes and tests a channel. */
export function useChannelActions(id: string, server: string | undefined, { onDeleted, onTested }: ChannelActions) {
  const remove = useApiMutation(calls.deleteAlertChannel, { ...stale, onSuccess: onDeleted })
  const removeOwn = useApiMutation(calls.deleteServerAlertChannel, { ...stale, onSuccess: onDeleted })
  const test = useApiMutation(calls.testAlertChannel, { onSuccess: onTested })
  const testOwn = useApiMutation(calls.testServerAlertChannel, { onSuccess: onTested })
  const own = { params: { id: server ?? '', channel: id } }
  return {
    remove: () => (server === undefined ? remove.mutate({ params: { id } }) : removeOwn.mutate(own)),
    test: () => (server === undefined ? test.mutate({ params: { id } }) : testOwn.mutate(own)),
    isRemoving: remove.isPending || removeOwn.isPending,
    isTesting: test.isPending || testOwn.isPending,
  }
}
