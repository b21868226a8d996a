import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import {
  type Evacuation,
  type EvacuationOrder,
  evacuateNode,
  evacuationOrders,
  getEvacuation,
  type PlannedServer,
  planEvacuation,
} from '@innkeeper/contract/moves/evacuations'
import { maxMovesAtOnce } from '@innkeeper/contract/moves/moves'
import { getNode, listNodeChoices, listNodes } from '@innkeeper/contract/nodes/nodes'
import { NativeSelect, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { NodeLabelsInput } from '../../ui/fields/node-labels-input.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { nodeOption } from '../../ui/text/node-availability.ts'
import { EvacuationList, ServerRow } from './evacuation-list.tsx'

/** The placement chooses a node for each server. */
const anyNode = 'any'

interface EvacuateDialogProps {
  readonly node: { readonly id: number; readonly name: string }
  readonly onClose: () => void
}

interface EvacuateValues {
  readonly to: string
  readonly labels: readonly string[]
  readonly order: EvacuationOrder
  readonly atOnce: string
  readonly leaveBackups: boolean
}

/** Chooses the nodes and the order, shows where each server goes, and begins to move them. */
export function EvacuateDialog({ node, onClose }: EvacuateDialogProps) {
  const t = useT()
  const params = { id: node.id }
  const nodes = useApiQuery(listNodeChoices, {}, { refetchOnMount: 'always' })
  const start = useApiMutation(evacuateNode, { invalidates: [getEvacuation, getNode, listNodes, listNodeChoices] })
  const form = useSubmitForm<EvacuateValues, Evacuation>({
    initialValues: {
      to: anyNode,
      labels: [],
      order: 'stopped',
      atOnce: String(maxMovesAtOnce),
      leaveBackups: false,
    },
    send: ({ to, labels, order, atOnce, leaveBackups }) =>
      start.mutateAsync({
        params,
        body: {
          ...(to === anyNode ? { labels: [...labels] } : { to: Number(to) }),
          ...{ order, atOnce: Number(atOnce), leaveBackups },
        },
      }),
    onSaved: onClose,
  })
  const { to, labels, order, leaveBackups } = form.values
  const target = to === anyNode ? { ...(labels.length > 0 && { labels: labels.join(',') }) } : { to: Number(to) }
  const plan = useApiQuery(
    planEvacuation,
    { params, query: { order, ...target } },
    { refetchOnMount: 'always', staleTime: 0 },
  )
  const moved = (plan.data?.servers ?? []).filter((server) => canMove(server, leaveBackups))
  return (
    <SubmitDialog
      form={form}
      size="lg"
      title={t('nodes.EvacuateTitle', { name: node.name })}
      action={t('nodes.Evacuate')}
      canSave={moved.length > 0}
      onClose={onClose}
    >
      <Text c="dimmed">{t('nodes.EvacuateAbout')}</Text>
      {/* It is there while the nodes are loaded, so that it gets the focus. */}
      <Select
        data-autofocus
        label={t('nodes.EvacuateTo')}
        {...(to === anyNode && { description: t('nodes.EvacuateToHint') })}
        allowDeselect={false}
        {...form.field('to')}
        onChange={(selected) => form.set({ to: selected ?? to })}
        data={[
          { value: anyNode, label: t('nodes.EvacuateToAny') },
          ...(nodes.data ?? []).filter(({ id }) => id !== node.id).map((choice) => nodeOption(t, choice)),
        ]}
      />
      <QueryState query={nodes} errorTitle={t('common.NodesNotLoaded')} skeleton={null}>
        {() => null}
      </QueryState>
      {to === anyNode && (
        <NodeLabelsInput
          {...form.field('labels')}
          label={t('nodes.EvacuateLabels')}
          value={labels}
          onChange={(values) => form.set({ labels: values })}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          {...form.field('order')}
          label={t('nodes.EvacuateOrder')}
          data={evacuationOrders.map((value) => ({ value, label: t(`nodes.EvacuateOrder_${value}`) }))}
        />
        <NativeSelect
          {...form.field('atOnce')}
          label={t('nodes.EvacuateAtOnce')}
          data={Array.from({ length: maxMovesAtOnce }, (_, index) => String(index + 1))}
        />
      </SimpleGrid>
      <QueryState query={plan} errorTitle={t('nodes.EvacuatePlanFailed')}>
        {({ servers }) => <Plan servers={servers} movedCount={moved.length} leaveBackups={leaveBackups} />}
      </QueryState>
      <BackupsSwitch count={countBackups(plan.data?.servers ?? [])} field={form.switchField('leaveBackups')} />
    </SubmitDialog>
  )
}

const canMove = ({ to, backups }: PlannedServer, leaveBackups: boolean): boolean =>
  to !== undefined && (backups === 0 || leaveBackups)

const countBackups = (servers: readonly PlannedServer[]): number =>
  servers.reduce((count, { to, backups }) => count + (to ? backups : 0), 0)

function BackupsSwitch({ count, field }: { readonly count: number; readonly field: object }) {
  const t = useT()
  if (count === 0) return null
  return (
    <Switch
      label={t('nodes.EvacuateLeaveBackups', { count })}
      description={t('nodes.EvacuateLeaveBackupsHint')}
      {...field}
    />
  )
}

interface PlanProps {
  readonly servers: readonly PlannedServer[]
  readonly movedCount: number
  readonly leaveBackups: boolean
}

/** Where each server goes, and which cannot be moved. */
function Plan({ servers, movedCount, leaveBackups }: PlanProps) {
  const t = useT()
  if (servers.length === 0) return <Text>{t('nodes.EvacuateNoServers')}</Text>
  return (
    <Stack gap="sm">
      <Text>
        {t('nodes.EvacuatePlanned', { moved: movedCount, count: servers.length })}
        {servers.some(({ running }) => running) && ` ${t('nodes.EvacuateStops')}`}
      </Text>
      <EvacuationList label={t('nodes.EvacuatePlan')}>
        {servers.map((server) => (
          <PlannedRow key={server.id} server={server} leaveBackups={leaveBackups} />
        ))}
      </EvacuationList>
    </Stack>
  )
}

function PlannedRow({ server, leaveBackups }: { readonly server: PlannedServer; readonly leaveBackups: boolean }) {
  const t = useT()
  const { to, backups, error } = server
  const needsConsent = to !== undefined && backups > 0 && !leaveBackups
  const status = needsConsent
    ? t('nodes.EvacuateNeedsConsent', { count: backups })
    : to
      ? t('nodes.EvacuateGoesTo', { node: to.name })
      : t('nodes.Evacuated_blocked')
  const details = [
    ...(to && backups > 0 && leaveBackups ? [t('nodes.EvacuateBackups', { count: backups })] : []),
    ...(error ? [errorMessage(t, refusalFrom({ error }))] : []),
  ]
  return <ServerRow server={server} status={status} hasProblem={!to || needsConsent} details={details} />
}
