import { listTemplates } from '@innkeeper/contract/templates'
import { Badge, Button, Paper, Skeleton } from '@mantine/core'
import { IconDownload, IconPlus, IconTemplate } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { CodeText } from '../../ui/code-text.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { filterTemplates } from '../../ui/filter-templates.ts'
import { Page, PageHeader } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import records from '../../ui/records.module.css'
import { SearchInput } from '../../ui/search-input.tsx'

/** The templates that servers are created from. */
export function TemplatesScreen() {
  const t = useT()
  const formatters = useFormatters()
  const canEdit = useCan('templates.edit')
  const templates = useApiQuery(listTemplates, {})
  const [query, setQuery] = useState('')
  const matches = filterTemplates(t, formatters, templates.data ?? [], query)

  return (
    <Page>
      <PageHeader
        title={t('templates.Title')}
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
      <SearchInput
        label={t('templates.Filter')}
        hotkeyLabel={t('servers.FilterAction')}
        value={query}
        onChange={setQuery}
      />
      <Paper>
        <QueryState
          query={templates}
          errorTitle={t('common.TemplatesNotLoaded')}
          skeleton={<Skeleton h={52} aria-label={t('common.Loading')} />}
          isEmpty={() => matches.length === 0}
          empty={
            <EmptyState
              icon={<IconTemplate size={24} aria-hidden />}
              title={query.trim() === '' ? t('templates.Empty') : t('common.NothingMatches', { query })}
            />
          }
        >
          {() => (
            <ul className={records.list}>
              {matches.map(({ name, display, type, supportedEnvironments }) => (
                <li key={name} className={records.record}>
                  <span className={records.main}>
                    <Link to={`/template/${encodeURIComponent(name)}`}>{display ?? name}</Link>
                    <CodeText className={records.quiet ?? ''}>{name}</CodeText>
                  </span>
                  <span className={records.facts}>{categoryName(t, type)}</span>
                  {supportedEnvironments.map((environment) => (
                    <Badge key={environment.type} radius="sm">
                      {environmentName(t, environment.type)}
                    </Badge>
                  ))}
                </li>
              ))}
            </ul>
          )}
        </QueryState>
      </Paper>
    </Page>
  )
}
