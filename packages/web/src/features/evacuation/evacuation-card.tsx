import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import {
  cancelEvacuation,
  type EvacuatedServer,
  type Evacuation,
  getEvacuation,
} from '@innkeeper/contract/moves/evacuations'
import { getNode, listNodeChoices, listNodes } from '@innkeeper/contract/nodes/nodes'
import { listServers } from '@innkeeper/contract/servers/servers'
import { Box, Button, Paper, Stack } from '@mantine/core'
import { IconTruckDelivery } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { JobProgress } from '../../ui/feedback/job-progress.tsx'
import { ActionRow } from '../../ui/lists/action-row.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { errorMessage } from '../../ui/text/error-message.ts'
import { EvacuateDialog } from './evacuate-dialog.tsx'
import { EvacuationList, ServerRow } from './evacuation-list.tsx'

const activeMs = 1_000
const endedMs = 30_000
const firstRows = 20

interface EvacuatedNode {
  readonly id: number
  readonly name: string
}

/** Moves all servers of a node to other nodes: the dialog, the progress, and what became of each server. */
export function EvacuationCard({ node }: { readonly node: EvacuatedNode }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const { data: evacuation } = useApiQuery(
    getEvacuation,
    { params: { id: node.id } },
    {
      staleTime: 0,
      refetchInterval: ({ state }) => (isActive(state.data) ? activeMs : endedMs),
      meta: { quiet: true },
    },
  )
  useMovedServers(evacuation)
  return (
    <Paper component="section" aria-label={t('nodes.Evacuate')}>
      {isActive(evacuation) ? (
        <CardHeader title={t('nodes.Evacuate')} />
      ) : (
        <ActionRow
          title={t('nodes.Evacuate')}
          description={t('nodes.EvacuateAbout')}
          icon={IconTruckDelivery}
          action={t('nodes.Evacuate')}
          onClick={() => setIsOpen(true)}
        />
      )}
      {evacuation && (
        <Stack p="md" gap="sm">
          {isActive(evacuation) ? <Progress node={node} evacuation={evacuation} /> : <Result evacuation={evacuation} />}
          <Servers servers={evacuation.servers} />
        </Stack>
      )}
      {isOpen && <EvacuateDialog node={node} onClose={() => setIsOpen(false)} />}
    </Paper>
  )
}

const isActive = (evacuation: Evacuation | null | undefined): boolean =>
  evacuation?.state === 'running' || evacuation?.state === 'cancelling'

const countOf = ({ servers }: Evacuation, ...states: EvacuatedServer['state'][]): number =>
  servers.filter(({ state }) => states.includes(state)).length

/** The lists of the page show where the servers are. */
function useMovedServers(evacuation: Evacuation | null | undefined): void {
  const queries = useQueryClient()
  const changes = evacuation && `${evacuation.startedAt} ${countOf(evacuation, 'moved')}`
  const refresh = useEffectEvent(() => {
    if (!evacuation) return
    for (const endpoint of [getNode, listNodes, listNodeChoices, listServers])
      void queries.invalidateQueries({ queryKey: getQueryKey(endpoint) })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: called when a server was moved
  useEffect(() => refresh(), [changes])
}

function Progress({ node, evacuation }: { readonly node: EvacuatedNode; readonly evacuation: Evacuation }) {
  const t = useT()
  const confirm = useConfirm()
  const cancel = useApiMutation(cancelEvacuation, { invalidates: [getEvacuation] })
  const count = evacuation.servers.length
  const ended = count - countOf(evacuation, 'waiting', 'moving')
  const isCancelling = evacuation.state === 'cancelling'
  const askToCancel = () =>
    confirm({
      title: t('nodes.EvacuationCancelTitle'),
      body: t('nodes.EvacuationCancelBody'),
      action: t('nodes.EvacuationCancelAction'),
      onConfirm: () => cancel.mutateAsync({ params: { id: node.id } }),
    })
  return (
    <JobProgress
      title={isCancelling ? t('nodes.EvacuationCancelling') : t('nodes.EvacuateTitle', { name: node.name })}
      progress={count === 0 ? 1 : ended / count}
      onCancel={isCancelling ? undefined : () => void askToCancel()}
    >
      {t('nodes.Evacuating', { ended, count })}
    </JobProgress>
  )
}

function Result({ evacuation }: { readonly evacuation: Evacuation }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const { state, servers, endedAt = '' } = evacuation
  const moved = countOf(evacuation, 'moved')
  const values = { moved, count: servers.length, time: dateTime(Date.parse(endedAt)) }
  return (
    <Alert type={moved === servers.length ? 'success' : 'warning'} role="status">
      {t(state === 'cancelled' ? 'nodes.EvacuationCancelled' : 'nodes.EvacuationDone', values)}
    </Alert>
  )
}

/** What became of each server; of many those first that were not moved. */
function Servers({ servers }: { readonly servers: readonly EvacuatedServer[] }) {
  const t = useT()
  const [isLong, setIsLong] = useState(false)
  if (servers.length === 0) return null
  const sorted = servers.toSorted((a, b) => Number(isQuiet(a)) - Number(isQuiet(b)))
  const shown = isLong || servers.length <= firstRows ? servers : sorted.slice(0, firstRows)
  return (
    <>
      <EvacuationList label={t('nodes.EvacuationServers')}>
        {shown.map((server) => (
          <EvacuatedRow key={server.id} server={server} />
        ))}
      </EvacuationList>
      {shown.length < servers.length && (
        <Box>
          <Button size="xs" variant="default" onClick={() => setIsLong(true)}>
            {t('nodes.EvacuationShowAll', { count: servers.length })}
          </Button>
        </Box>
      )}
    </>
  )
}

const isQuiet = ({ state, error }: EvacuatedServer): boolean =>
  state === 'waiting' || state === 'cancelled' || (state === 'moved' && !error)

function EvacuatedRow({ server }: { readonly server: EvacuatedServer }) {
  const t = useT()
  const { fileSize } = useFormatters()
  const { state, to, stoppedMs, values = [], bytes = 0, totalBytes = 0, error } = server
  const details = [
    bytes > 0 && totalBytes > 0 && t('files.Of', { done: fileSize(bytes), total: fileSize(totalBytes) }),
    stoppedMs !== undefined && t('server.MoveStopped', { seconds: Math.round(stoppedMs / 1000) }),
    ...values.map((value) => t('server.MoveValue', value)),
    error && errorMessage(t, refusalFrom({ error })),
  ]
  return (
    <ServerRow
      server={server}
      status={t(`nodes.Evacuated_${state}`, { node: to?.name ?? '' })}
      hasProblem={state === 'failed' || state === 'blocked' || error !== undefined}
      details={details.filter((detail) => typeof detail === 'string')}
    />
  )
}
