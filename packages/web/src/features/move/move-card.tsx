import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { cancelMove, deleteFormerCopy, getMove, goBack, type Move } from '@innkeeper/contract/moves/moves'
import { getServer, listServers, type ServerView } from '@innkeeper/contract/servers/servers'
import { Box, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconArrowsExchange } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { ByteProgress } from '../../ui/feedback/byte-progress.tsx'
import { JobProgress } from '../../ui/feedback/job-progress.tsx'
import { ActionRow } from '../../ui/lists/action-row.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { errorMessage } from '../../ui/text/error-message.ts'
import { MoveDialog } from './move-dialog.tsx'

const activeMs = 1_000
const endedMs = 30_000

/** What a move is doing; it has ended in all other states. */
const stepTexts: Readonly<Partial<Record<Move['state'], TranslationKey>>> = {
  waiting: 'server.MoveWaiting',
  copying: 'server.MoveCopying',
  stopping: 'server.MoveStopping',
  changes: 'server.MoveChanges',
  starting: 'server.MoveStarting',
  goingBack: 'server.MoveGoingBack',
}

/** Moves the server to another node: the dialog, the progress, and the way back. */
export function MoveCard({ server }: { readonly server: ServerView }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const params = { id: server.id }
  const { data: move } = useApiQuery(
    getMove,
    { params },
    {
      staleTime: 0,
      refetchInterval: ({ state }) => (isActive(state.data) ? activeMs : endedMs),
      meta: { quiet: true },
    },
  )
  useNewNode(move)
  return (
    <Paper>
      <ActionRow
        title={t('server.Move')}
        description={t('server.MoveAbout')}
        icon={IconArrowsExchange}
        action={t('server.Move')}
        onClick={() => setIsOpen(true)}
      />
      {move && (
        <Box p="md">
          <MoveState server={server} move={move} />
        </Box>
      )}
      {isOpen && <MoveDialog server={server} onClose={() => setIsOpen(false)} />}
    </Paper>
  )
}

const isActive = (move: Move | null | undefined): boolean => move != null && stepTexts[move.state] !== undefined

/** The page of the server shows its node and its ports. */
function useNewNode(move: Move | null | undefined): void {
  const queries = useQueryClient()
  const state = move?.state
  const refresh = useEffectEvent(() => {
    if (state === undefined) return
    for (const endpoint of [getServer, listServers]) void queries.invalidateQueries({ queryKey: getQueryKey(endpoint) })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: called when the state changes
  useEffect(() => refresh(), [state])
}

interface MoveStateProps {
  readonly server: ServerView
  readonly move: Move
}

function MoveState({ server, move }: MoveStateProps) {
  const t = useT()
  const params = { id: server.id }
  const cancel = useApiMutation(cancelMove, { invalidates: [getMove] })
  const back = useBack(move, params)
  const { state, from, to, bytes = 0, totalBytes = 0 } = move
  const names = { from: from.name, to: to.name }
  const step = stepTexts[state]
  const reason = move.error && errorMessage(t, refusalFrom({ error: move.error }))
  if (step !== undefined) {
    const canCancel = state !== 'starting' && state !== 'goingBack' && !cancel.isPending
    return (
      <Stack gap="sm">
        <JobProgress
          title={t(step, names)}
          progress={bytes > 0 && totalBytes > 0 ? Math.min(1, bytes / totalBytes) : undefined}
          onCancel={canCancel ? () => void cancel.mutate({ params }) : undefined}
        >
          <ByteProgress key={state} bytes={bytes} totalBytes={totalBytes} />
        </JobProgress>
        {state === 'starting' && <Group justify="flex-end">{back.button}</Group>}
      </Stack>
    )
  }
  if (state === 'failed')
    return <Alert type="error">{t('server.MoveFailed', { ...names, reason: reason ?? '' })}</Alert>
  if (state === 'back' && reason !== undefined) return <Alert type="warning">{reason}</Alert>
  if (state !== 'done' || move.backUntil === undefined) return null
  return <Done {...{ move, reason, back }} />
}

function Done({ move, reason, back }: { move: Move; reason: string | undefined; back: ReturnType<typeof useBack> }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const { from, to, backUntil = '', stoppedMs } = move
  const time = dateTime(Date.parse(backUntil))
  return (
    <Alert type={reason === undefined ? 'success' : 'warning'} role="status">
      <Stack gap="xs">
        <span>{t('server.MoveDone', { to: to.name })}</span>
        {reason !== undefined && <span>{reason}</span>}
        <Text inherit c="dimmed">
          {t('server.MoveBackUntil', { from: from.name, time })}
          {stoppedMs !== undefined && ` ${t('server.MoveStopped', { seconds: Math.round(stoppedMs / 1000) })}`}
        </Text>
        <Group gap="sm">
          {back.button}
          {back.deleteButton}
        </Group>
      </Stack>
    </Alert>
  )
}

/** The buttons that return the server to its former node, or make that impossible. */
function useBack({ from, to }: Move, params: { readonly id: string }) {
  const t = useT()
  const confirm = useConfirm()
  const going = useApiMutation(goBack, { invalidates: [getMove] })
  const deleting = useApiMutation(deleteFormerCopy, { invalidates: [getMove] })
  const confirmDeletion = () =>
    confirm({
      title: t('server.MoveDeleteTitle', { from: from.name }),
      body: t('server.MoveDeleteBody', { to: to.name }),
      action: t('common.Delete'),
      onConfirm: () => deleting.mutate({ params }),
    })
  const button = (
    <Button size="xs" variant="default" loading={going.isPending} onClick={() => void going.mutate({ params })}>
      {t('server.MoveBack', { from: from.name })}
    </Button>
  )
  const deleteButton = (
    <Button size="xs" variant="subtle" loading={deleting.isPending} onClick={() => void confirmDeletion()}>
      {t('server.MoveDelete')}
    </Button>
  )
  return { button, deleteButton }
}
