import { cancelClone, getClone, listFailedClones } from '@innkeeper/contract/clones/clones'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { listServers } from '@innkeeper/contract/servers/servers'
import { Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-action.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { ByteProgress } from '../../ui/feedback/byte-progress.tsx'
import { JobProgress } from '../../ui/feedback/job-progress.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { toast } from '../../ui/toasts/toast.tsx'

const pollMs = 1_000

/** A running clone. Opens the new server when it is done; the clone continues when this is closed. */
export function CloneProgress({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const t = useT()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const params = { id }
  const { data: clone } = useApiQuery(
    getClone,
    { params },
    { staleTime: 0, refetchInterval: pollMs, meta: { quiet: true } },
  )
  const cancel = useApiMutation(cancelClone, { invalidates: [getClone] })
  const state = clone?.state
  const onEnd = useEffectEvent(async () => {
    if (state === 'failed') await queries.invalidateQueries({ queryKey: getQueryKey(listFailedClones) })
    if (state !== 'done' && state !== 'cancelled') return
    await queries.invalidateQueries({ queryKey: getQueryKey(listServers) })
    onClose()
    if (state === 'cancelled') return
    toast.success(t('server.CloneDone'))
    await navigate(`/server/${id}`)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: called when the state changes
  useEffect(() => void onEnd(), [state])

  if (state === 'failed')
    return (
      <Stack gap="md">
        <Alert type="error">
          {t('server.CloneFailed', { reason: errorMessage(t, clone?.error && refusalFrom({ error: clone.error })) })}
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('common.Close')}</Button>
        </Group>
      </Stack>
    )
  const { bytes = 0, totalBytes = 0 } = clone ?? {}
  return (
    <JobProgress
      title={t(state === 'backup' ? 'backups.DoingCreate' : 'server.Cloning')}
      progress={bytes > 0 && totalBytes > 0 ? Math.min(1, bytes / totalBytes) : undefined}
      onCancel={cancel.isPending ? undefined : () => cancel.mutate({ params })}
    >
      <ByteProgress key={state} bytes={bytes} totalBytes={totalBytes} />
    </JobProgress>
  )
}
