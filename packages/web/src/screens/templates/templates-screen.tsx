import { type CatalogEntry, listCatalog } from '@innkeeper/contract/templates/catalog'
import { listTemplates } from '@innkeeper/contract/templates/templates'
import { Button, Group, Paper, SegmentedControl } from '@mantine/core'
import { IconDownload, IconPlus, IconTemplate } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { ClearFilter } from '../../ui/lists/clear-filter.tsx'
import { filterTemplates } from '../../ui/lists/filter-templates.ts'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { type ListedTemplate, TemplateList } from './template-list.tsx'

const OverwriteDialog = lazyOverlay(async () => (await import('./overwrite-dialog.tsx')).OverwriteDialog)

const filters = {
  all: () => true,
  used: ({ servers }: ListedTemplate) => servers > 0,
  updates: ({ official }: ListedTemplate) => official?.state === 'changed',
}
type Filter = keyof typeof filters

const labels = {
  all: 'templates.FilterAll',
  used: 'templates.FilterUsed',
  updates: 'templates.FilterUpdates',
} as const satisfies Readonly<Record<Filter, TranslationKey>>
const emptyTexts = {
  all: 'templates.Empty',
  used: 'templates.NoneUsed',
  updates: 'templates.NoneUpdates',
} as const satisfies Readonly<Record<Filter, TranslationKey>>

/** The templates that servers are created from. */
export function TemplatesScreen() {
  const t = useT()
  const formatters = useFormatters()
  const canEdit = useCan('templates.edit')
  const templates = useApiQuery(listTemplates, {})
  const catalog = useApiQuery(listCatalog, {}, { enabled: canEdit })
  const [query, setQuery] = useState('')
  const [filter, setFilter] = useState<Filter>('all')
  const [compared, setCompared] = useState<CatalogEntry>()

  const officials = new Map(catalog.data?.entries.map((entry) => [entry.name, entry]))
  const found = filterTemplates(t, formatters, templates.data ?? [], query).map(
    (template): ListedTemplate => ({ ...template, official: officials.get(template.name) }),
  )
  const matches = found.filter(filters[filter])
  const options = (catalog.data ? (['all', 'used', 'updates'] as const) : (['all', 'used'] as const)).map((value) => ({
    value,
    label: t(labels[value], { number: formatters.number(found.filter(filters[value]).length) }),
  }))

  return (
    <Page>
      <PageHeader
        title={t('shell.Templates')}
        actions={
          canEdit && (
            <>
              <Button
                component={Link}
                to="/importtemplates"
                variant="default"
                leftSection={<IconDownload size={17} aria-hidden />}
              >
                {t('templates.Import')}
              </Button>
              <Button component={Link} to="/addtemplate" leftSection={<IconPlus size={17} aria-hidden />}>
                {t('templates.New')}
              </Button>
            </>
          )
        }
      />
      <Group gap="sm">
        <SearchInput
          label={t('templates.Filter')}
          hotkeyLabel={t('servers.FilterAction')}
          value={query}
          onChange={setQuery}
        />
        <SegmentedControl
          withItemsBorders={false}
          aria-label={t('templates.FilterByUse')}
          value={filter}
          onChange={setFilter}
          data={options}
        />
      </Group>
      <Paper>
        <QueryState
          query={templates}
          errorTitle={t('common.TemplatesNotLoaded')}
          isEmpty={() => matches.length === 0}
          empty={
            <EmptyState
              icon={IconTemplate}
              title={query.trim() === '' ? t(emptyTexts[filter]) : t('common.NothingMatches', { query })}
              actions={
                query.trim() !== '' || filter !== 'all' ? (
                  <ClearFilter
                    onClick={() => {
                      setQuery('')
                      setFilter('all')
                    }}
                  />
                ) : (
                  canEdit && (
                    <Button component={Link} to="/importtemplates" variant="default">
                      {t('templates.ImportTitle')}
                    </Button>
                  )
                )
              }
            />
          }
        >
          {() => <TemplateList templates={matches} showsSource={catalog.data !== undefined} onCompare={setCompared} />}
        </QueryState>
      </Paper>
      {compared && <OverwriteDialog entry={compared} onClose={() => setCompared(undefined)} />}
    </Page>
  )
}
