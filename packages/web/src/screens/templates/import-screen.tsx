import { type CatalogueEntry, listCatalogue } from '@innkeeper/contract/catalogue'
import { Button, FileButton, Skeleton, TextInput } from '@mantine/core'
import { IconSearch, IconTemplate, IconUpload } from '@tabler/icons-react'
import { type DragEvent, type ReactNode, use, useRef, useState } from 'react'
import { useCall } from '../../api/use-call.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import { Card, Kbd } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { CatalogueList } from './catalogue-list.tsx'
import { CatalogueProblems } from './catalogue-problems.tsx'
import classes from './import.module.css'
import { OverwriteDialog } from './overwrite-dialog.tsx'
import { UploadDialog } from './upload-dialog.tsx'
import { useImport } from './use-import.ts'

/** Templates from elsewhere: of the catalogue, or from a file. */
export function ImportScreen() {
  const text = useText()
  if (useMay('templates.edit')) return <ImportTemplates />
  return (
    <Page>
      <PageHead title={text('templates.ImportTitle')} />
      <NoPermission />
    </Page>
  )
}

function ImportTemplates() {
  const text = useText()
  const tell = use(TellRefusalContext)
  const take = useImport()
  const catalogue = useCall(listCatalogue, {})
  const isLate = useIsLate(catalogue.isPending)
  const [sought, setSought] = useState('')
  const [busy, setBusy] = useState<readonly string[]>([])
  const [compared, setCompared] = useState<CatalogueEntry>()
  const [files, setFiles] = useState<readonly File[]>([])
  const input = useRef<HTMLInputElement>(null)
  useHotkeys([
    { keys: '/', label: text('servers.FilterAction'), group: text('servers.List'), run: () => input.current?.focus() },
  ])
  const { entries = [], problems = [], fetchedAt } = catalogue.data ?? {}
  const news = entries.filter(({ state }) => state === 'new')
  const wanted = sought.trim().toLocaleLowerCase()
  const found = entries
    .filter(({ name, display = '', type }) =>
      [display, name, type, categoryName(text, type)].join(' ').toLocaleLowerCase().includes(wanted),
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
      else toast.error(text('templates.NotImported', { name, reason: messageOf(text, error) }))
    }
    const count = chosen.length - failed.length
    if (count === 0 || !only) return
    toast.success(
      chosen.length === 1
        ? text('templates.Imported', { name: only.display ?? only.name })
        : text('templates.ImportedAll', { count }),
    )
  }
  const overwrite = async ({ name, display = name }: CatalogueEntry, version: string | undefined) => {
    const [failed] = await take([name], { version })
    if (failed) return tell(failed.error)
    toast.success(text('templates.Imported', { name: display }))
    setCompared(undefined)
  }

  return (
    <Page>
      <PageHead
        title={text('templates.ImportTitle')}
        actions={
          <>
            <FileButton multiple accept=".json,application/json" onChange={(picked) => setFiles(picked)}>
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconUpload size={17} aria-hidden />}>
                  {text('templates.Upload')}
                </Button>
              )}
            </FileButton>
            {news.length > 0 && (
              <Button loading={busy.length > 0} onClick={() => void importNew(news)}>
                {text('templates.ImportAll', { count: news.length })}
              </Button>
            )}
          </>
        }
      />
      <DropArea onFiles={setFiles}>
        <p className={classes.quiet}>
          {text('templates.ImportWhat')}
          {fetchedAt && (
            <>
              {' '}
              {text('templates.FetchedAt')} <Moment at={fetchedAt} />
            </>
          )}
        </p>
        <TextInput
          ref={input}
          className="ik-soft"
          maw={320}
          type="search"
          aria-label={text('templates.Filter')}
          placeholder={text('templates.Filter')}
          leftSection={<IconSearch size={15} aria-hidden />}
          rightSection={<Kbd>/</Kbd>}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
        <CatalogueProblems problems={problems} again={() => void catalogue.refetch()} />
        <Card>
          {catalogue.error ? (
            <LoadFailure
              title={text('templates.CatalogueFailed')}
              error={catalogue.error}
              again={() => void catalogue.refetch()}
            />
          ) : catalogue.isPending ? (
            isLate && <Skeleton h={52} aria-label={text('common.Loading')} />
          ) : found.length === 0 ? (
            <EmptyState
              icon={<IconTemplate size={24} aria-hidden />}
              title={wanted === '' ? text('templates.CatalogueEmpty') : text('servers.NothingMatches', { sought })}
            />
          ) : (
            <CatalogueList
              entries={found}
              busy={busy}
              onImport={(entry) => void importNew([entry])}
              onCompare={setCompared}
            />
          )}
        </Card>
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
