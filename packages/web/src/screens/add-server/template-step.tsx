import type { Template } from '@innkeeper/contract/definition'
import { listTemplates } from '@innkeeper/contract/templates'
import { Box, Group, Paper, Radio, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconTemplate } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { filterTemplates } from '../../ui/filter-templates.ts'
import { SearchInput } from '../../ui/search-input.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './add-server.module.css'
import { type Draft, type EditDraft, selectTemplate } from './draft.ts'
import { Initials } from './initials.tsx'
import { getTabStop, OptionCard } from './option-card.tsx'
import { TemplateDetails } from './template-details.tsx'

interface TemplateStepProps {
  readonly draft: Draft
  readonly template: Template | undefined
  /** Why the selected template could not be loaded. */
  readonly error: unknown
  readonly edit: EditDraft
  /** The button to the next step. */
  readonly action: ReactNode
}

/** Selects a template, with the details of the selected one beside the list. */
export function TemplateStep({ draft, template, error, edit, action }: TemplateStepProps) {
  const t = useT()
  const templates = useApiQuery(listTemplates, {}, { staleTime: 60_000 })
  const isLate = useDelayed(templates.isPending)
  const [query, setQuery] = useState('')
  const [type, setType] = useState('')

  if (templates.error) {
    const retry = () => void templates.refetch()
    return (
      <Paper>
        <QueryError title={t('add-server.TemplatesFailed')} error={templates.error} retry={retry} />
      </Paper>
    )
  }
  if (templates.isPending) return isLate ? <Skeleton h={320} radius="lg" aria-label={t('common.Loading')} /> : null
  if (templates.data.length === 0) {
    return (
      <Paper>
        <EmptyState icon={<IconTemplate size={24} aria-hidden />} title={t('add-server.NoTemplates')}>
          {t('add-server.NoTemplatesHelp')}
        </EmptyState>
      </Paper>
    )
  }

  const compareTypes = (a: string, b: string) => categoryName(t, a).localeCompare(categoryName(t, b))
  const types = [...new Set(templates.data.map((entry) => entry.type))].sort(compareTypes)
  const matches = filterTemplates(t, templates.data, query).filter((entry) => type === '' || entry.type === type)
  const groups = [...Map.groupBy(matches, (entry) => entry.type)].sort(([a], [b]) => compareTypes(a, b))
  const names = groups.flatMap(([, entries]) => entries.map(({ name }) => name))
  const tabStop = getTabStop(names, draft.template)

  return (
    <>
      <Group gap="sm">
        <SearchInput
          label={t('add-server.Search', { count: templates.data.length })}
          hotkeyLabel={t('add-server.SearchAction')}
          value={query}
          onChange={setQuery}
        />
        {types.length > 1 && (
          <Box className={classes.types}>
            <SegmentedControl
              withItemsBorders={false}
              classNames={{ root: classes.typesRoot, control: classes.type }}
              aria-label={t('add-server.TypeFilter')}
              data={[
                { value: '', label: t('servers.All') },
                ...types.map((value) => ({ value, label: categoryName(t, value) })),
              ]}
              value={type}
              onChange={setType}
            />
          </Box>
        )}
      </Group>
      <div className={classes.templateColumns}>
        <Radio.Group
          label={t('add-server.Step_template')}
          labelProps={{ display: 'none' }}
          value={draft.template ?? ''}
          onChange={(name) => edit((current) => selectTemplate(current, name))}
        >
          <div className={classes.templates}>
            {groups.map(([group, entries]) => (
              <section key={group} className={classes.templateGroup}>
                <Title order={2} fz={13} lh="1.125rem" fw={500} c="var(--ik-subtle)">
                  {categoryName(t, group)}
                </Title>
                {entries.map(({ name, display = name }) => (
                  <OptionCard key={name} value={name} isTabStop={name === tabStop}>
                    <Initials name={display} />
                    <Box miw={0}>
                      <Text fw={600} truncate>
                        {display}
                      </Text>
                      <Text c="dimmed" fz="xs" truncate>
                        {name}
                      </Text>
                    </Box>
                  </OptionCard>
                ))}
              </section>
            ))}
          </div>
          {groups.length === 0 && (
            <Text c="dimmed" fz={13}>
              {t('servers.NothingMatches', { query })}
            </Text>
          )}
        </Radio.Group>
        <Paper component="aside" className={classes.details} aria-live="polite">
          <Stack gap="sm" p="md" className={classes.detailsBody}>
            {error ? (
              <ErrorAlert error={error} />
            ) : template ? (
              <TemplateDetails template={template} />
            ) : (
              <Text c="dimmed" fz={13}>
                {t('add-server.ChooseTemplate')}
              </Text>
            )}
          </Stack>
          <Group gap="xs" p="md" justify="flex-end" className={classes.detailsFooter}>
            {action}
          </Group>
        </Paper>
      </div>
    </>
  )
}
