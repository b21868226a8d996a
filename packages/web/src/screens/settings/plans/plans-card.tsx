import { deletePlan, listPlans, type Plan } from '@innkeeper/contract/orders/plans'
import { Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { IconPencil, IconShoppingCartOff, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-action.ts'
import { useApiQuery } from '../../../api/use-api.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { AddButton } from '../../../ui/layout/add-button.tsx'
import { DocsLink } from '../../../ui/layout/docs-link.tsx'
import { RowList } from '../../../ui/layout/row-list.tsx'
import { CardHeader } from '../../../ui/lists/card-header.tsx'
import { lazyOverlay } from '../../../ui/loading/lazy-overlay.tsx'
import { QueryState } from '../../../ui/loading/query-state.tsx'
import { IconButton } from '../../../ui/menus/icon-button.tsx'
import { useConfirm } from '../../../ui/overlays/confirm.ts'
import { toast } from '../../../ui/toasts/toast.tsx'

const AddPlanDialog = lazyOverlay(async () => (await import('./plan-dialogs.tsx')).AddPlanDialog)
const EditPlanDialog = lazyOverlay(async () => (await import('./plan-dialogs.tsx')).EditPlanDialog)

const mebibyte = 1024 ** 2

/** What servers get that a shop orders. */
export function PlansCard({ id }: { id: string }) {
  const t = useT()
  const query = useApiQuery(listPlans)
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<string>()
  const names = query.data?.plans.map(({ name }) => name) ?? []
  return (
    <Paper component="section" id={id} aria-label={t('plans.Title')} style={{ scrollMarginBlockStart: '1.25rem' }}>
      <CardHeader title={t('plans.Title')}>
        <AddButton disabled={!query.data} onClick={() => setAdding(true)}>
          {t('plans.Add')}
        </AddButton>
      </CardHeader>
      <QueryState
        query={query}
        errorTitle={t('plans.LoadFailed')}
        isEmpty={({ plans }) => plans.length === 0}
        empty={
          <EmptyState icon={IconShoppingCartOff} title={t('plans.Empty')}>
            {t('plans.EmptyAbout')} <DocsLink to="orders">{t('plans.Docs')}</DocsLink>
          </EmptyState>
        }
      >
        {({ plans }) => (
          <RowList label={t('plans.Title')}>
            {plans.map(({ name, plan }) => (
              <PlanRow key={name} name={name} plan={plan} onEdit={() => setEdited(name)} />
            ))}
          </RowList>
        )}
      </QueryState>
      {isAdding && <AddPlanDialog taken={names} onClose={() => setAdding(false)} />}
      {edited !== undefined && <EditPlanDialog name={edited} onClose={() => setEdited(undefined)} />}
    </Paper>
  )
}

interface PlanRowProps {
  readonly name: string
  readonly plan: Plan
  readonly onEdit: () => void
}

function PlanRow({ name, plan, onEdit }: PlanRowProps) {
  const t = useT()
  const confirm = useConfirm()
  const { list } = useFormatters()
  const contents = usePlanContents(plan)
  const { mutate, isPending } = useApiMutation(deletePlan, {
    invalidates: [listPlans],
    onSuccess: () => toast.success(t('common.Deleted', { name })),
  })
  const confirmAndDelete = () =>
    confirm({
      title: t('common.DeleteQuestion', { name }),
      body: t('plans.DeleteBody'),
      onConfirm: () => mutate({ params: { name } }),
    })
  return (
    <Group component="li" px="md" py="xs" gap="sm" wrap="nowrap">
      <Stack gap={0} flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs">
          <Text fw={500}>
            <bdi>{name}</bdi>
          </Text>
          <Badge>
            <bdi>{plan.template}</bdi>
          </Badge>
        </Group>
        {contents.length > 0 && <Text variant="caption">{list(contents)}</Text>}
      </Stack>
      <Group gap="2xs" wrap="nowrap">
        <IconButton label={t('common.EditNamed', { name })} onClick={onEdit}>
          <IconPencil size={17} aria-hidden />
        </IconButton>
        <IconButton
          label={t('common.DeleteNamed', { name })}
          loading={isPending}
          onClick={() => void confirmAndDelete()}
        >
          <IconTrash size={17} aria-hidden />
        </IconButton>
      </Group>
    </Group>
  )
}

/** What a plan sets, in a few words each. */
function usePlanContents({ limits: { memory, cpu, disk }, ports }: Plan): string[] {
  const t = useT()
  const { fileSize, percent } = useFormatters()
  return [
    ...(memory === undefined ? [] : [t('plans.RowMemory', { size: fileSize(memory * mebibyte) })]),
    ...(cpu === undefined ? [] : [t('plans.RowCpu', { share: percent(cpu) })]),
    ...(disk === undefined ? [] : [t('plans.RowDisk', { size: fileSize(disk * mebibyte) })]),
    ...(ports === undefined ? [] : [t('plans.RowPorts', { count: ports })]),
  ]
}
