import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { listNodeChoices, listNodes } from '@innkeeper/contract/nodes/nodes'
import { getNodePlacement, maxOvercommit, minOvercommit, putNodePlacement } from '@innkeeper/contract/nodes/placement'
import { NumberInput, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { VersionedResponse } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { refetchOrThrow, useVersionedApiQuery } from '../../api/use-api.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { NodeLabelsInput } from '../../ui/fields/node-labels-input.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'

type Placement = VersionedResponse<ResponseOf<typeof getNodePlacement>>

/** Which servers are placed on a node, and the room that it has for them. */
export function PlacementCard({ node, canEdit }: { node: number; canEdit: boolean }) {
  const t = useT()
  const query = useVersionedApiQuery(getNodePlacement, { params: { id: node } })
  return (
    <QueryState inCard query={query} errorTitle={t('common.SettingsNotLoaded')}>
      {(placement) => (
        <Paper>
          <CardHeader title={t('nodes.Placement')} description={t('nodes.PlacementAbout')} />
          <RoomText placement={placement} />
          {canEdit && <PlacementForm node={node} placement={placement} reload={() => refetchOrThrow(query)} />}
        </Paper>
      )}
    </QueryState>
  )
}

function RoomText({ placement: { response } }: { placement: Placement }) {
  const t = useT()
  const { fileSize } = useFormatters()
  const { room } = response
  if (!room) return null
  const { memory, disk } = room
  return (
    <Text px="md" pt="md">
      {t('nodes.Room', {
        memory: fileSize(memory.free),
        allMemory: fileSize(memory.total),
        disk: fileSize(disk.free),
        allDisk: fileSize(disk.total),
      })}
    </Text>
  )
}

interface PlacementDraft {
  readonly labels: readonly string[]
  readonly memoryFactor: number | string
  readonly diskFactor: number | string
}

const labels: Readonly<Record<keyof PlacementDraft, TranslationKey>> = {
  labels: 'nodes.Labels',
  memoryFactor: 'nodes.MemoryFactor',
  diskFactor: 'nodes.DiskFactor',
}

interface PlacementFormProps {
  readonly node: number
  readonly placement: Placement
  readonly reload: () => Promise<Placement>
}

function PlacementForm({ node, placement, reload }: PlacementFormProps) {
  const t = useT()
  const { list } = useFormatters()
  const put = useApiMutation(putNodePlacement, { invalidates: [getNodePlacement, listNodes, listNodeChoices] })
  const toSaved = ({ response, version }: Placement) => ({ values: response.settings as PlacementDraft, version })
  const form = useSaveForm<PlacementDraft>({
    id: `node-${node}-placement`,
    saved: toSaved(placement),
    reload: async () => toSaved(await reload()),
    getLabel: (field) => t(labels[field]),
    formatValue: (field, value) => (field === 'labels' ? list(value as readonly string[]) : String(value)),
    validate: (draft) =>
      Object.fromEntries(
        (['memoryFactor', 'diskFactor'] as const).flatMap((field) => {
          const factor = draft[field]
          const isValid = typeof factor === 'number' && factor >= minOvercommit && factor <= maxOvercommit
          const range = { min: String(minOvercommit), max: String(maxOvercommit) }
          return isValid ? [] : [[field, t('errors.ErrFieldNotBetween', { field: t(labels[field]), ...range })]]
        }),
      ),
    send: ({ values, version }) => {
      const { memoryFactor, diskFactor } = values
      const body = {
        labels: [...values.labels],
        memoryFactor: Number(memoryFactor),
        diskFactor: Number(diskFactor),
      }
      return put.mutateAsync({ params: { id: node }, body }, { version })
    },
  })
  const factor = (field: 'memoryFactor' | 'diskFactor') => ({
    ...form.field(field),
    label: t(labels[field]),
    min: minOvercommit,
    max: maxOvercommit,
    step: 0.1,
    decimalScale: 2,
    clampBehavior: 'none' as const,
  })
  return (
    <SaveForm form={form} isInCard id="placement" aria-label={t('nodes.Placement')}>
      <Stack p="md">
        <NodeLabelsInput
          {...form.field('labels')}
          label={t('nodes.Labels')}
          description={t('nodes.LabelsHint')}
          value={form.values.labels}
          onChange={(values) => form.set({ labels: values })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput {...factor('memoryFactor')} description={t('nodes.MemoryFactorHint')} />
          <NumberInput {...factor('diskFactor')} description={t('nodes.DiskFactorHint')} />
        </SimpleGrid>
      </Stack>
      <SaveBar form={form} isInline />
    </SaveForm>
  )
}
