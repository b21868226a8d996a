import type { Template } from '@innkeeper/contract/definitions/definition'
import { listTemplates, type TemplateSummary } from '@innkeeper/contract/templates/templates'
import { Box, Flex, Group, Paper, Radio, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconTemplate } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan, useSession } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { filterTemplates } from '../../ui/lists/filter-templates.ts'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { familyName, getTemplateFamily, type TemplateFamily, templateFamilies } from '../../ui/names/template-family.ts'
import { TemplateIcon } from '../../ui/names/template-icon.tsx'
import classes from './add-server.module.css'
import { type EditDraft, type ServerDraft, selectTemplate } from './draft.ts'
import { getTabStop, OptionCard } from './option-card.tsx'
import { readRecentTemplates } from './recent-templates.ts'
import { TemplateDetails } from './template-details.tsx'

interface TemplateStepProps {
  readonly draft: ServerDraft
  /** Loads the selected template. */
  readonly query: UseQueryResult<Template>
  readonly edit: EditDraft
  /** Goes to the next step with this template. */
  readonly onChoose: (template: string) => void
  /** The button to the next step. */
  readonly action: ReactNode
}

/** Selects a template, with the details of the selected one beside the list. */
export function TemplateStep(props: TemplateStepProps) {
  const t = useT()
  const templates = useApiQuery(listTemplates, {}, { staleTime: 60_000 })
  const canImport = useCan('templates.edit')
  return (
    <QueryState
      inCard
      query={templates}
      errorTitle={t('common.TemplatesNotLoaded')}
      skeletonHeight={320}
      isEmpty={(all) => all.length === 0}
      empty={
        <EmptyState
          icon={IconTemplate}
          title={t('templates.Empty')}
          link={canImport && { to: '/importtemplates', label: t('templates.ImportTitle') }}
        >
          {canImport ? t('add-server.NoTemplatesNext') : t('add-server.NoTemplatesHelp')}
        </EmptyState>
      }
    >
      {(all) => <TemplateSelect {...props} templates={all} />}
    </QueryState>
  )
}

interface TemplateSelectProps extends TemplateStepProps {
  readonly templates: readonly TemplateSummary[]
}

function TemplateSelect({ templates, draft, query: selected, edit, onChoose, action }: TemplateSelectProps) {
  const t = useT()
  const formatters = useFormatters()
  const [query, setQuery] = useState('')
  const [family, setFamily] = useState<TemplateFamily | ''>('')
  const userId = useSession().self?.id
  const recent = useMemo(() => readRecentTemplates(userId), [userId])

  const families = templateFamilies.filter((templateFamily) =>
    templates.some(({ type }) => getTemplateFamily(type) === templateFamily),
  )
  const matches = filterTemplates(t, formatters, templates, query).filter(
    ({ type }) => family === '' || getTemplateFamily(type) === family,
  )
  const isFiltered = query.trim() !== '' || family !== ''
  const groups = groupTemplates(t, matches, isFiltered ? [] : recent)
  const names = groups.flatMap(({ entries }) => entries.map(({ name }) => name))
  const tabStop = getTabStop(names, draft.template)

  return (
    <>
      <Group gap="sm">
        <SearchInput
          label={t('add-server.Search', { count: templates.length })}
          hotkeyLabel={t('add-server.SearchAction')}
          focusesOnDesktop
          value={query}
          onChange={setQuery}
        />
        {families.length > 1 && (
          <Box maw="100%" style={{ overflowX: 'auto' }}>
            <SegmentedControl
              withItemsBorders={false}
              className={classes.types}
              aria-label={t('add-server.TypeFilter')}
              data={[
                { value: '', label: t('servers.All') },
                ...families.map((value) => ({ value, label: familyName(t, value) })),
              ]}
              value={family}
              onChange={(value) => setFamily(templateFamilies.find((templateFamily) => templateFamily === value) ?? '')}
            />
          </Box>
        )}
      </Group>
      <Flex direction={{ base: 'column', md: 'row' }} align={{ md: 'flex-start' }} gap="lg">
        <Radio.Group
          flex={1}
          miw={0}
          label={t('add-server.Step_template')}
          labelProps={{ display: 'none' }}
          value={draft.template ?? ''}
          onChange={(name) => edit((current) => selectTemplate(current, name))}
        >
          <Stack gap="md">
            {groups.map(({ title, entries }) => (
              <section key={title}>
                <Title order={2} fz="compact" lh="1.125rem" fw={500} c="var(--ik-subtle)" mb="sm">
                  {title}
                </Title>
                <SimpleGrid minColWidth="12.5rem" spacing="sm">
                  {entries.map(({ name, type, display = name }) => (
                    <OptionCard key={name} value={name} isTabStop={name === tabStop} onChoose={() => onChoose(name)}>
                      <TemplateIcon name={name} display={display} type={type} />
                      <Box miw={0}>
                        <Text fw={600} truncate>
                          {display}
                        </Text>
                        <Text variant="caption" truncate>
                          {name}
                        </Text>
                      </Box>
                    </OptionCard>
                  ))}
                </SimpleGrid>
              </section>
            ))}
          </Stack>
          {groups.length === 0 && <Text variant="note">{t('common.NothingMatches', { query })}</Text>}
        </Radio.Group>
        <Paper
          component="aside"
          className={classes.details}
          w={{ md: '22.5rem' }}
          flex="none"
          data-empty={draft.template === undefined || undefined}
          aria-live="polite"
        >
          <Stack gap="sm" flex={1} mih={0} p="md" className={classes.detailsBody}>
            {draft.template === undefined ? (
              <Text variant="note">{t('add-server.ChooseTemplate')}</Text>
            ) : (
              <QueryState query={selected} errorTitle={t('templates.OneLoadFailed')} skeletonHeight={280}>
                {(template) => <TemplateDetails template={template} draft={draft} />}
              </QueryState>
            )}
          </Stack>
          <Group gap="xs" p="md" justify="flex-end" className={classes.detailsEnd}>
            {action}
          </Group>
        </Paper>
      </Flex>
    </>
  )
}

interface TemplateGroup {
  readonly title: string
  readonly entries: readonly TemplateSummary[]
}

/** The recently used templates, then the others by family. Each template is in one group only. */
function groupTemplates(t: TFunction, templates: readonly TemplateSummary[], recent: readonly string[]) {
  const used = recent.flatMap((name) => templates.find((entry) => entry.name === name) ?? [])
  const others = Map.groupBy(
    templates.filter((entry) => !used.includes(entry)),
    ({ type }) => getTemplateFamily(type),
  )
  const groups: TemplateGroup[] = [
    { title: t('add-server.RecentlyUsed'), entries: used },
    ...templateFamilies.map((family) => ({ title: familyName(t, family), entries: others.get(family) ?? [] })),
  ]
  return groups.filter(({ entries }) => entries.length > 0)
}
