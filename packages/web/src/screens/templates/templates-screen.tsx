import { listTemplates } from '@innkeeper/contract/templates'
import { Badge, Button, Kbd, Paper, Skeleton, TextInput } from '@mantine/core'
import { IconDownload, IconPlus, IconSearch, IconTemplate } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { CodeText } from '../../ui/code-text.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { Page, PageHeader } from '../../ui/page.tsx'
import records from '../../ui/records.module.css'
import { useDelayed } from '../../ui/use-delayed.ts'

/** What servers can be made of. */
export function TemplatesScreen() {
  const t = useT()
  const mayEdit = useCan('templates.edit')
  const templates = useApiQuery(listTemplates, {})
  const isLate = useDelayed(templates.isPending)
  const [sought, setSought] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const retry = () => void templates.refetch()
  const wanted = sought.trim().toLocaleLowerCase()
  const found = (templates.data ?? [])
    .filter(({ name, display = '', type }) =>
      [display, name, type, categoryName(t, type)].join(' ').toLocaleLowerCase().includes(wanted),
    )
    .sort((a, b) => (a.display ?? a.name).localeCompare(b.display ?? b.name))
  useHotkeys([
    { keys: '/', label: t('servers.FilterAction'), group: t('servers.List'), run: () => input.current?.focus() },
  ])

  return (
    <Page>
      <PageHeader
        title={t('templates.Title')}
        actions={
          mayEdit && (
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
      <TextInput
        ref={input}
        className="ik-soft"
        maw={320}
        type="search"
        aria-label={t('templates.Filter')}
        placeholder={t('templates.Filter')}
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={<Kbd>/</Kbd>}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      <Paper>
        {templates.error ? (
          <QueryError title={t('templates.LoadFailed')} error={templates.error} retry={retry} />
        ) : templates.isPending ? (
          isLate && <Skeleton h={52} aria-label={t('common.Loading')} />
        ) : found.length === 0 ? (
          <EmptyState
            icon={<IconTemplate size={24} aria-hidden />}
            title={wanted === '' ? t('templates.Empty') : t('servers.NothingMatches', { sought })}
          />
        ) : (
          <ul className={records.list}>
            {found.map(({ name, display, type, supportedEnvironments }) => (
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
      </Paper>
    </Page>
  )
}
