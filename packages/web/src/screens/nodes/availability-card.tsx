import {
  type AvailabilityState,
  availabilityStates,
  maxMaintenanceReason,
  type NewAvailability,
  putNodeAvailability,
} from '@innkeeper/contract/nodes/node-availability'
import { getNode, listNodeChoices, listNodes, type Node } from '@innkeeper/contract/nodes/nodes'
import { getServer, listServers } from '@innkeeper/contract/servers/servers'
import { NativeSelect, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useApiMutation } from '../../api/use-action.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { fromLocalTime, toLocalTime } from '../../ui/fields/local-time.ts'
import { CardHeader } from '../../ui/lists/card-header.tsx'

interface AvailabilityDraft {
  readonly state: AvailabilityState
  readonly reason: string
  /** Local time as `2026-11-21T20:18`, or empty. */
  readonly until: string
}

const labels: Readonly<Record<keyof AvailabilityDraft, TranslationKey>> = {
  state: 'nodes.Availability',
  reason: 'nodes.MaintenanceReason',
  until: 'nodes.MaintenanceEnd',
}

function toDraft({ availability }: Node): AvailabilityDraft {
  const { state, reason = '', until } = availability ?? { state: 'active' }
  return { state, reason, until: until === undefined ? '' : toLocalTime(until) }
}

function toBody({ state, reason, until }: AvailabilityDraft): NewAvailability {
  if (state !== 'maintenance') return { state }
  return { state, reason, ...(until !== '' && { until: fromLocalTime(until) }) }
}

/** Whether the node takes new servers, and its maintenance. */
export function AvailabilityCard({ node }: { node: Node }) {
  const t = useT()
  const put = useApiMutation(putNodeAvailability, {
    invalidates: [getNode, listNodes, listNodeChoices, getServer, listServers],
  })
  const form = useSaveForm<AvailabilityDraft>({
    id: `node-${node.id}-availability`,
    saved: { values: toDraft(node) },
    normalize: (draft) => ({ ...draft, reason: draft.reason.trim() }),
    getLabel: (field) => t(labels[field]),
    formatValue: (field, value) =>
      field === 'state' ? t(`nodes.Availability_${value as AvailabilityState}`) : String(value),
    validate: ({ state, reason }) =>
      state === 'maintenance' && reason === ''
        ? { reason: t('errors.ErrFieldRequired', { field: t(labels.reason) }) }
        : {},
    send: ({ values }) => put.mutateAsync({ params: { id: node.id }, body: toBody(values) }),
  })
  const { state } = form.values
  return (
    <Paper>
      <SaveForm form={form} isInCard id="availability" aria-label={t('nodes.Availability')}>
        <CardHeader title={t('nodes.Availability')} />
        <Stack p="md">
          <NativeSelect
            {...form.field('state')}
            label={t('nodes.AvailabilityState')}
            description={t(`nodes.AvailabilityAbout_${state}`)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data={availabilityStates.map((value) => ({ value, label: t(`nodes.Availability_${value}`) }))}
          />
          {state === 'maintenance' && (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                {...form.field('reason')}
                label={t('nodes.MaintenanceReason')}
                description={t('nodes.MaintenanceReasonHint')}
                required
                maxLength={maxMaintenanceReason}
                autoComplete="off"
              />
              <TextInput
                {...form.field('until')}
                type="datetime-local"
                label={t('nodes.MaintenanceEnd')}
                description={t('nodes.MaintenanceEndHint')}
              />
            </SimpleGrid>
          )}
        </Stack>
        <SaveBar form={form} isInline />
      </SaveForm>
    </Paper>
  )
}
