import { type CatalogueEntry, listCatalogue } from '@innkeeper/contract/catalogue'
import { Button, FileButton, Kbd, Paper, Skeleton, TextInput } from '@mantine/core'
import { IconSearch, IconTemplate, IconUpload } from '@tabler/icons-react'
import { type DragEvent, type ReactNode, use, useRef, useState } from 'react'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { CatalogueList } from './catalogue-list.tsx'
import { CatalogueProblems } from './catalogue-problems.tsx'
import classes from './import.module.css'
import { OverwriteDialog } from './overwrite-dialog.tsx'
import { UploadDialog } from './upload-dialog.tsx'
import { useImport } from './use-import.ts'

/** Templates from elsewhere: of the catalogue, or from a file. */
export function ImportScreen() {
  const t = useT()
  if (useCan('templates.edit')) return <ImportTemplates />
  return (
    <Page>
      <PageHeader title={t('templates.ImportTitle')} />
      <NoPermission />
    </Page>
  )
}

function ImportTemplates() {
  const t = useT()
  const tell = use(ShowErrorContext)
  const take = useImport()
  const catalogue = useApiQuery(listCatalogue, {})
  const isLate = useDelayed(catalogue.isPending)
  const [sought, setSought] = useState('')
  const [busy, setBusy] = useState<readonly string[]>([])
  const [compared, setCompared] = useState<CatalogueEntry>()
  const [files, setFiles] = useState<readonly File[]>([])
  const input = useRef<HTMLInputElement>(null)
  useHotkeys([
    { keys: '/', label: t('servers.FilterAction'), group: t('servers.List'), run: () => input.current?.focus() },
  ])
  const { entries = [], problems = [], fetchedAt } = catalogue.data ?? {}
  const news = entries.filter(({ state }) => state === 'new')
  const wanted = sought.trim().toLocaleLowerCase()
  const found = entries
    .filter(({ name, display = '', type }) =>
      [display, name, type, categoryName(t, type)].join(' ').toLocaleLowerCase().includes(wanted),
    )
    .sort((a, b) => (a.display ?? a.name).localeCompare(b.display ?? b.name))

  const importNew = async (chosen: readonly CatalogueEntry[]) => {
    setBusy(chosen.map(({ name }) => name))
    const failed = await take(
      chosen.map(({ name }) => name),
      'new',
    )
    setBusy([])
    const [only] = chosen
    for (const { name, error } of failed) {
      if (chosen.length === 1) tell(error)
      else toast.error(t('templates.NotImported', { name, reason: errorMessage(t, error) }))
    }
    const count = chosen.length - failed.length
    if (count === 0 || !only) return
    toast.success(
      chosen.length === 1
        ? t('templates.Imported', { name: only.display ?? only.name })
        : t('templates.ImportedAll', { count }),
    )
  }
  const overwrite = async ({ name, display = name }: CatalogueEntry, version: string | undefined) => {
    const [failed] = await take([name], { version })
    if (failed) return tell(failed.error)
    toast.success(t('templates.Imported', { name: display }))
    setCompared(undefined)
  }

  return (
    <Page>
      <PageHeader
        title={t('templates.ImportTitle')}
        actions={
          <>
            <FileButton multiple accept=".json,application/json" onChange={(picked) => setFiles(picked)}>
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconUpload size={17} aria-hidden />}>
                  {t('templates.Upload')}
                </Button>
              )}
            </FileButton>
            {news.length > 0 && (
              <Button loading={busy.length > 0} onClick={() => void importNew(news)}>
                {t('templates.ImportAll', { count: news.length })}
              </Button>
            )}
          </>
        }
      />
      <DropArea onFiles={setFiles}>
        <p className={classes.quiet}>
          {t('templates.ImportWhat')}
          {fetchedAt && (
            <>
              {' '}
              {t('templates.FetchedAt')} <RelativeTime at={fetchedAt} />
            </>
          )}
        </p>
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
        <CatalogueProblems problems={problems} retry={() => void catalogue.refetch()} />
        <Paper>
          {catalogue.error ? (
            <QueryError
              title={t('templates.CatalogueFailed')}
              error={catalogue.error}
              retry={() => void catalogue.refetch()}
            />
          ) : catalogue.isPending ? (
            isLate && <Skeleton h={52} aria-label={t('common.Loading')} />
          ) : found.length === 0 ? (
            <EmptyState
              icon={<IconTemplate size={24} aria-hidden />}
              title={wanted === '' ? t('templates.CatalogueEmpty') : t('servers.NothingMatches', { sought })}
            />
          ) : (
            <CatalogueList
              entries={found}
              busy={busy}
              onImport={(entry) => void importNew([entry])}
              onCompare={setCompared}
            />
          )}
        </Paper>
      </DropArea>
      {compared && (
        <OverwriteDialog
          entry={compared}
          onOverwrite={(version) => overwrite(compared, version)}
          onClose={() => setCompared(undefined)}
        />
      )}
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

/** Takes files that are dropped on it; the button does the same. */
function DropArea({
  onFiles,
  children,
}: {
  readonly onFiles: (files: readonly File[]) => void
  readonly children: ReactNode
}) {
  const [isOver, setIsOver] = useState(false)
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setIsOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    onFiles([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut of the button above
    <div
      className={`${classes.area} ${isOver ? classes.over : ''}`}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  )
}
