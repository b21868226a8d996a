import { type CatalogEntry, importTemplate, listCatalog } from '@innkeeper/contract/templates/catalog'
import { Button, FileButton, Paper, Text } from '@mantine/core'
import { IconTemplate, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { Trans } from 'react-i18next'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { DropArea } from '../../ui/fields/drop-area.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { ClearFilter } from '../../ui/lists/clear-filter.tsx'
import { filterTemplates } from '../../ui/lists/filter-templates.ts'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { CatalogList } from './catalog-list.tsx'
import { CatalogProblems } from './catalog-problems.tsx'
import { OverwriteDialog } from './overwrite-dialog.tsx'
import { UploadDialog } from './upload-dialog.tsx'
import { templateEndpoints } from './use-template.ts'

/** Imports templates from the catalog or from files. */
export function ImportScreen() {
  const t = useT()
  if (useCan('templates.edit')) return <ImportTemplates />
  return (
    <Page>
      <PageHeader title={t('templates.ImportTitle')} />
      <NoPermission scope="templates.edit" />
    </Page>
  )
}

function ImportTemplates() {
  const t = useT()
  const formatters = useFormatters()
  const catalog = useApiQuery(listCatalog, {})
  const [query, setQuery] = useState('')
  const [compared, setCompared] = useState<CatalogEntry>()
  /** Files that were picked or dropped; the dialog shows the first. */
  const [files, setFiles] = useState<readonly File[]>([])
  const { entries = [], problems = [], fetchedAt } = catalog.data ?? {}
  const newEntries = entries.filter(({ state }) => state === 'new')
  const matches = filterTemplates(t, formatters, entries, query)
  const retry = () => void catalog.refetch()

  const importOne = useAction(
    ({ name }: CatalogEntry) => request(importTemplate, { params: { name } }, { precondition: 'new' }),
    {
      invalidates: templateEndpoints,
      onSuccess: (_, { name, display = name }) => toast.success(t('templates.Imported', { name: display })),
    },
  )
  const importAll = useAction(importTemplates, {
    invalidates: templateEndpoints,
    onSuccess: (failures, { length }) => {
      for (const { name, error } of failures)
        toast.error(t('templates.NotImported', { name, reason: errorMessage(t, error) }))
      const count = length - failures.length
      if (count > 0) toast.success(t('templates.ImportedAll', { count }))
    },
  })
  const importing = importOne.pending ? [importOne.pending] : (importAll.pending ?? [])

  return (
    <Page>
      <PageHeader
        title={t('templates.ImportTitle')}
        actions={
          <>
            <FileButton multiple accept=".json,.yaml,.yml,application/json" onChange={(selected) => setFiles(selected)}>
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconUpload size={17} aria-hidden />}>
                  {t('templates.Upload')}
                </Button>
              )}
            </FileButton>
            {newEntries.length > 0 && (
              <Button loading={importing.length > 0} onClick={() => void importAll.mutate(newEntries)}>
                {t('templates.ImportAll', { count: newEntries.length })}
              </Button>
            )}
          </>
        }
      />
      <DropArea onDrop={({ files: dropped }) => setFiles([...dropped])}>
        <Text variant="note">
          {t('templates.ImportHelp')} {/* Touch screens cannot drop files. */}
          <Text span inherit visibleFrom="sm">
            {t('templates.DropHelp')}{' '}
          </Text>
          {fetchedAt && (
            <Trans i18nKey="templates.FetchedAt" components={{ time: <RelativeTime time={fetchedAt} /> }} />
          )}
        </Text>
        <SearchInput
          label={t('templates.Filter')}
          hotkeyLabel={t('servers.FilterAction')}
          value={query}
          onChange={setQuery}
        />
        <CatalogProblems problems={problems} retry={retry} />
        <Paper>
          <QueryState
            query={catalog}
            errorTitle={t('templates.CatalogFailed')}
            isEmpty={() => matches.length === 0}
            empty={
              <EmptyState
                icon={IconTemplate}
                title={query.trim() === '' ? t('templates.CatalogEmpty') : t('common.NothingMatches', { query })}
                actions={query.trim() !== '' && <ClearFilter onClick={() => setQuery('')} />}
              />
            }
          >
            {() => (
              <CatalogList
                entries={matches}
                importing={importing.map(({ name }) => name)}
                onImport={(entry) => void importOne.mutate(entry)}
                onCompare={setCompared}
              />
            )}
          </QueryState>
        </Paper>
      </DropArea>
      {compared && <OverwriteDialog entry={compared} onClose={() => setCompared(undefined)} />}
      {files[0] && (
        <UploadDialog
          key={`${files.length} ${files[0].name}`}
          file={files[0]}
          onDone={() => setFiles((left) => left.slice(1))}
        />
      )}
    </Page>
  )
}

/** A template that was not imported, and why. */
interface ImportFailure {
  readonly name: string
  readonly error: unknown
}

/** Imports templates of the catalog one after the other; resolves with those that failed. */
async function importTemplates(entries: readonly CatalogEntry[]): Promise<readonly ImportFailure[]> {
  const failures: ImportFailure[] = []
  for (const { name } of entries) {
    try {
      await request(importTemplate, { params: { name } }, { precondition: 'new' })
    } catch (error) {
      failures.push({ name, error })
    }
  }
  return failures
}
