import { findEnvironmentType, getEnvironments } from '@innkeeper/contract/definitions/definition'
import { splitAlternatives } from '@innkeeper/contract/nodes/node-support'
import { listNodeChoices, type NodeChoice } from '@innkeeper/contract/nodes/nodes'
import { Box, Group, Radio, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconSitemap } from '@tabler/icons-react'
import { useEffect } from 'react'
import { Trans } from 'react-i18next'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { StatusLabel } from '../../ui/feedback/status.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { environmentName } from '../../ui/names/environment-name.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import type { StepProps } from './draft.ts'
import { getTabStop, OptionCard } from './option-card.tsx'
import { completeTarget, getAvailable, getUnsuitableReason, getUnsupportedReason, proposeNode } from './target.ts'
import { useMissingPrograms } from './use-missing-programs.ts'

/** Selects node and environment. Options that are not available stay visible with the reason. */
export function TargetStep({ draft, template, edit }: StepProps) {
  const t = useT()
  const nodes = useApiQuery(listNodeChoices, {}, { refetchOnMount: 'always' })
  const canAddNode = useCan('nodes.edit')
  const isIncomplete = nodes.data && completeTarget(draft, template, nodes.data) !== draft
  useEffect(() => {
    if (isIncomplete) edit((current) => completeTarget(current, template, nodes.data))
  }, [isIncomplete, edit, template, nodes.data])

  return (
    <QueryState
      inCard
      query={nodes}
      errorTitle={t('common.NodesNotLoaded')}
      skeletonHeight={280}
      isEmpty={(choices) => choices.length === 0}
      empty={
        <EmptyState
          icon={IconSitemap}
          title={t('errors.ErrNoNodes')}
          link={canAddNode && { to: '/addnode', label: t('nodes.Add') }}
        >
          {canAddNode ? t('first-steps.NodeWhy') : t('add-server.NoNodesHelp')}
        </EmptyState>
      }
    >
      {(choices) => (
        <>
          <NodeOptions draft={draft} template={template} nodes={choices} edit={edit} />
          <EnvironmentOptions
            draft={draft}
            template={template}
            node={choices.find(({ id }) => id === draft.node)}
            edit={edit}
          />
        </>
      )}
    </QueryState>
  )
}

function NodeOptions({ draft, template, nodes, edit }: StepProps & { readonly nodes: readonly NodeChoice[] }) {
  const t = useT()
  const formatters = useFormatters()
  const { compareNames, anyOf, list, fileSize } = formatters
  const missingPrograms = useMissingPrograms(template)
  const isInContainer = draft.environment !== undefined && findEnvironmentType({ type: draft.environment }) === 'docker'
  const listMissing = (id: number) =>
    isInContainer ? '' : list((missingPrograms.get(id) ?? []).map((entry) => anyOf(splitAlternatives(entry))))
  const sorted = nodes
    .map((node) => ({
      ...node,
      reason: getUnsuitableReason(t, formatters, template, node),
      missing: listMissing(node.id),
    }))
    .sort(
      (a, b) =>
        Number(b.reason === undefined) - Number(a.reason === undefined) ||
        Number(b.online) - Number(a.online) ||
        compareNames(a.name, b.name),
    )
  const available = getAvailable(template, nodes)
  const proposed = available.length > 1 ? proposeNode(template, available) : undefined
  const enabled = sorted.filter(({ reason }) => reason === undefined).map(({ id }) => String(id))
  const selected = draft.node === undefined ? '' : String(draft.node)
  const tabStop = getTabStop(enabled, selected)
  return (
    <Radio.Group
      label={<Title order={2}>{t('add-server.Where')}</Title>}
      value={selected}
      onChange={(id) => edit((current) => ({ ...current, node: Number(id) }))}
    >
      <Stack gap="xs">
        {sorted.map(({ id, name, online, publicHost, reason, missing, seenAt, servers, room }) => (
          <OptionCard
            key={id}
            value={String(id)}
            isTabStop={String(id) === tabStop}
            disabled={reason !== undefined}
            withIndicator
          >
            <Box flex={1} miw={0}>
              <Group component="span" gap="xs">
                <b>{name}</b>
                <StatusLabel state={online ? 'online' : 'offline'} />
              </Group>
              <Text span variant="note">
                {reason ?? <CodeText>{publicHost}</CodeText>}
                {!online && seenAt !== undefined && (
                  <>
                    {' '}
                    <Trans i18nKey="nodes.LastSeen" components={{ time: <RelativeTime time={seenAt} /> }} />
                  </>
                )}
              </Text>
              {reason === undefined && room && nodes.length > 1 && (
                <Text variant="note">
                  {t(id === proposed?.id ? 'add-server.Proposed' : 'add-server.FreeMemory', {
                    free: fileSize(room.memory.free),
                    total: fileSize(room.memory.total),
                  })}
                </Text>
              )}
              {reason === undefined && missing !== '' && (
                <Text c="var(--ik-warning)" fz="compact">
                  {t('add-server.MissingPrograms', { list: missing })}
                </Text>
              )}
            </Box>
            {servers && (
              <Text span variant="note" flex="none" style={{ alignSelf: 'center' }}>
                {t('templates.UsedByCount', { count: servers.total })}
              </Text>
            )}
          </OptionCard>
        ))}
      </Stack>
    </Radio.Group>
  )
}

type EnvironmentOptionsProps = StepProps & { readonly node: NodeChoice | undefined }

function EnvironmentOptions({ draft, template, node, edit }: EnvironmentOptionsProps) {
  const t = useT()
  // One of each type: more cannot be told apart.
  const types = [...new Set(getEnvironments(template).map(({ type }) => type))]
  const options = types.map((type) => ({
    type,
    reason: node && getUnsupportedReason(t, template, type, node),
  }))
  const enabled = options.filter(({ reason }) => node && reason === undefined).map(({ type }) => type)
  const tabStop = getTabStop(enabled, draft.environment)
  const getDescription = (type: string) => {
    const environmentType = findEnvironmentType({ type })
    return environmentType && t(`add-server.EnvironmentHelp_${environmentType}`)
  }
  return (
    <Radio.Group
      label={<Title order={2}>{t('common.Environment')}</Title>}
      description={t('add-server.EnvironmentHelp')}
      inputWrapperOrder={['label', 'description', 'input']}
      value={draft.environment ?? ''}
      onChange={(type) => edit(({ docker: _, ...current }) => ({ ...current, environment: type }))}
    >
      <SimpleGrid minColWidth="min(100%, 13rem)" autoFlow="auto-fill" spacing="sm" mt="xs">
        {options.map(({ type, reason }) => (
          <OptionCard
            key={type}
            value={type}
            isTabStop={type === tabStop}
            disabled={!enabled.includes(type)}
            withIndicator
          >
            <div>
              <b>{environmentName(t, type)}</b>
              <Text fz="compact" c={reason ? 'var(--ik-warning)' : 'dimmed'}>
                {reason ?? getDescription(type)}
              </Text>
            </div>
          </OptionCard>
        ))}
      </SimpleGrid>
    </Radio.Group>
  )
}
