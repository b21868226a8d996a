import { cloneServer, dismissFailedClone, type FailedClone, listFailedClones } from '@innkeeper/contract/clones/clones'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { listServers } from '@innkeeper/contract/servers/servers'
import { Button, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../api/request.ts'
import { useAction, useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { CloneProgress } from './clone-progress.tsx'

const pollMs = 30_000

interface FailedClonesProps {
  /** Only clones of this server. */
  readonly source?: string
}

/** The user's clones that failed, until they are dismissed or repeated. */
export function FailedClones({ source }: FailedClonesProps) {
  const t = useT()
  const { data = [] } = useApiQuery(listFailedClones, {}, { refetchInterval: pollMs, meta: { quiet: true } })
  const dismiss = useApiMutation(dismissFailedClone, { invalidates: [listFailedClones] })
  const [repeated, setRepeated] = useState<{ readonly id: string; readonly name: string }>()
  const start = useAction(
    ({ source: { id }, request: body }: FailedClone) => request(cloneServer, { params: { id }, body }),
    {
      invalidates: [listFailedClones, listServers],
      onSuccess: ({ id }, { source: { name, id: sourceId } }) => setRepeated({ id, name: name ?? sourceId }),
    },
  )
  const shown = data.filter((clone) => source === undefined || clone.source.id === source)
  return (
    <>
      {shown.length > 0 && (
        // The page of a server has no padding on phones.
        <Stack gap="xs" px={source === undefined ? 0 : { base: 'sm', sm: 0 }}>
          {shown.map((clone) => (
            <Alert
              key={clone.id}
              type="error"
              action={
                <>
                  {clone.source.name !== undefined && (
                    <Button
                      size="xs"
                      variant="default"
                      loading={start.isPending}
                      onClick={() => void start.mutate(clone)}
                    >
                      {t('common.TryAgain')}
                    </Button>
                  )}
                  <Button size="xs" variant="subtle" onClick={() => dismiss.mutate({ params: { id: clone.id } })}>
                    {t('common.Close')}
                  </Button>
                </>
              }
            >
              {t('server.CloneFailedNotice', {
                name: clone.request.name,
                source: clone.source.name ?? clone.source.id,
                reason: errorMessage(t, refusalFrom({ error: clone.error })),
              })}
            </Alert>
          ))}
        </Stack>
      )}
      {repeated && (
        <Modal opened onClose={() => setRepeated(undefined)} title={t('server.CloneTitle', { name: repeated.name })}>
          <CloneProgress id={repeated.id} onClose={() => setRepeated(undefined)} />
        </Modal>
      )}
    </>
  )
}
