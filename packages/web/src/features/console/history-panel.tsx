import { downloadConsole, getConsoleHistory, searchConsole } from '@innkeeper/contract/servers/console-history'
import { limits } from '@innkeeper/contract/text/limits'
import { ActionIcon, Box, Button, Group, Loader, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconArrowLeft, IconChevronDown, IconChevronUp, IconDownload, IconSearch, IconX } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { request } from '../../api/request.ts'
import { downloadBytes } from '../../api/upload-download.ts'
import { useAction } from '../../api/use-action.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { saveAsFile } from '../../ui/feedback/save-as-file.ts'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { ConsoleBuffer } from './buffer.ts'
import classes from './console.module.css'
import { LogList } from './log-list.tsx'
import { getLogFileName, toPlainText } from './log-text.ts'
import type { ConsolePreferences } from './preferences.ts'
import { SearchIndex, toRegExp } from './search-index.ts'

interface HistoryPanelProps {
  readonly server: string
  /** The name of the server: downloaded files are named after it. */
  readonly name: string
  readonly preferences: ConsolePreferences
  readonly onClose: () => void
}

interface SearchResult {
  readonly position: number
  readonly epoch: number
  readonly line: string
}

/** A page of output: it ends before a position, or at the newest output. */
interface HistoryPage {
  readonly before?: number
  /** The search result to scroll to. */
  readonly result?: SearchResult
}

/** The stored output of a console, page by page, and a search through all of it. Esc goes back. */
export function HistoryPanel({ server, name, preferences, onClose }: HistoryPanelProps) {
  const t = useT()
  const [draft, setDraft] = useState('')
  const [query, setQuery] = useState('')
  // The pages that "Newer" goes back to; the last one is shown.
  const [pages, setPages] = useState<readonly HistoryPage[]>([{}])
  const [view, setView] = useState<'page' | 'results'>('page')
  const page = pages.at(-1) ?? {}
  const panelRef = useRef<HTMLElement>(null)
  const hasResults = view === 'page' && query !== ''

  // The clicked button may be gone with the previous view: the focus stays in the panel.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after the view changes
  useEffect(() => {
    if (!panelRef.current?.contains(document.activeElement)) panelRef.current?.focus()
  }, [view])

  const search = (event: FormEvent) => {
    event.preventDefault()
    setQuery(draft.trim())
    setView(draft.trim() === '' ? 'page' : 'results')
  }
  const open = (result: SearchResult) => {
    setPages([{ before: result.position + limits.consolePageBytes / 2, result }])
    setView('page')
  }

  return (
    <section
      ref={panelRef}
      tabIndex={-1}
      className={classes.history}
      aria-label={t('console.History')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        event.preventDefault()
        if (hasResults) setView('results')
        else onClose()
      }}
    >
      <search>
        <Group component="form" className={classes.historyBar} gap="xs" onSubmit={search}>
          {hasResults && (
            <Button
              variant="subtle"
              size="xs"
              leftSection={<IconArrowLeft size={16} data-flip aria-hidden />}
              onClick={() => setView('results')}
            >
              {t('console.HistoryResults')}
            </Button>
          )}
          <TextInput
            flex={1}
            miw="8rem"
            size="xs"
            autoFocus
            value={draft}
            maxLength={limits.consoleSearchTextMax}
            aria-label={t('console.HistorySearch')}
            placeholder={t('console.HistorySearch')}
            leftSection={<IconSearch size={15} aria-hidden />}
            onChange={(event) => setDraft(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" disabled={draft.trim() === ''}>
            {t('console.HistoryFind')}
          </Button>
          <DownloadButton server={server} name={name} />
          <ActionIcon size={30} aria-label={t('console.HistoryClose')} onClick={onClose}>
            <IconX size={17} aria-hidden />
          </ActionIcon>
        </Group>
      </search>
      {view === 'page' ? (
        <HistoryPageLines
          key={page.before ?? 'newest'}
          server={server}
          page={page}
          query={query}
          preferences={preferences}
          onOlder={(before) => setPages([...pages, { before }])}
          onNewer={
            pages.length > 1 || page.before !== undefined ? (end) => setPages(getNewerPages(pages, end)) : undefined
          }
        />
      ) : (
        <Results server={server} query={query} onOpen={open} />
      )}
    </section>
  )
}

/** Goes back to the page that the user came from, or to the one after a search result. */
function getNewerPages(pages: readonly HistoryPage[], end: number): readonly HistoryPage[] {
  return pages.length > 1 ? pages.slice(0, -1) : [{ before: end + limits.consolePageBytes }]
}

function DownloadButton({ server, name }: { server: string; name: string }) {
  const t = useT()
  const download = useAction(async () => (await downloadBytes(downloadConsole, { params: { id: server } })).blob(), {
    onSuccess: (log) => saveAsFile(getLogFileName(name, new Date()), log),
  })
  return (
    <IconButton
      label={t('console.HistoryDownload')}
      size={30}
      loading={download.isPending}
      onClick={() => void download.mutate()}
    >
      <IconDownload size={17} aria-hidden />
    </IconButton>
  )
}

interface HistoryPageLinesProps {
  readonly server: string
  readonly page: HistoryPage
  readonly query: string
  readonly preferences: ConsolePreferences
  readonly onOlder: (before: number) => void
  readonly onNewer: ((end: number) => void) | undefined
}

function HistoryPageLines({
  server,
  page: { before, result },
  query,
  preferences,
  onOlder,
  onNewer,
}: HistoryPageLinesProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const scrollerRef = useRef<HTMLDivElement>(null)
  const [isFollowing, setIsFollowing] = useState(result === undefined)
  const history = useApiQuery(
    getConsoleHistory,
    { params: { id: server }, query: before === undefined ? {} : { before } },
    { staleTime: before === undefined ? 0 : Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  )
  const lines = useMemo(() => {
    const buffer = new ConsoleBuffer()
    for (const { text, epoch } of history.data?.logs ?? []) buffer.write(text, epoch)
    return buffer
  }, [history.data])
  const searchIndex = useMemo(() => {
    const expression = toRegExp({ text: query, matchCase: false, isRegex: false })
    if (!expression) return undefined
    const index = new SearchIndex(expression)
    index.update(lines)
    return index
  }, [query, lines])
  const current = useMemo(() => {
    if (!result) return undefined
    const isResult = (line: number) =>
      toPlainText(lines, { from: line, end: line + 1 })
        .trimEnd()
        .endsWith(result.line.trim())
    return searchIndex?.matches.findLast(({ line }) => (lines.at(line)?.time ?? 0) <= result.epoch && isResult(line))
  }, [searchIndex, lines, result])

  return (
    <QueryState query={history} errorTitle={t('common.HistoryNotLoaded')} skeleton={<Loading />}>
      {(data) => {
        const [first, last] = [data.logs[0], data.logs.at(-1)]
        return (
          <>
            <Group className={classes.historyBar} gap="xs">
              <Button
                variant="default"
                size="xs"
                leftSection={<IconChevronUp size={15} aria-hidden />}
                disabled={data.isOldest}
                onClick={() => onOlder(data.from)}
              >
                {t('console.HistoryOlder')}
              </Button>
              <Button
                variant="default"
                size="xs"
                leftSection={<IconChevronDown size={15} aria-hidden />}
                disabled={!onNewer}
                onClick={() => onNewer?.(data.to)}
              >
                {t('console.HistoryNewer')}
              </Button>
              <Text variant="note" role="status">
                {first && last
                  ? t('console.HistorySpan', { from: dateTime(first.epoch * 1000), to: dateTime(last.epoch * 1000) })
                  : t('console.Empty')}
              </Text>
            </Group>
            <div className={classes.output}>
              <LogList
                lines={lines}
                isFollowing={isFollowing}
                onFollowChange={setIsFollowing}
                preferences={preferences}
                searchIndex={searchIndex}
                current={current}
                scrollerRef={scrollerRef}
              />
            </div>
          </>
        )
      }}
    </QueryState>
  )
}

/** The lines that contain the query, newest first. */
function Results({ server, query, onOpen }: { server: string; query: string; onOpen: (result: SearchResult) => void }) {
  const t = useT()
  const { dateTime, number } = useFormatters()
  const search = useInfiniteQuery({
    queryKey: getQueryKey(searchConsole, { params: { id: server }, query: { text: query } }),
    queryFn: ({ pageParam: before, signal }) =>
      request(
        searchConsole,
        { params: { id: server }, query: { text: query, ...(before !== undefined && { before }) } },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
  })
  return (
    <QueryState query={search} errorTitle={t('common.HistoryNotLoaded')} skeleton={<Loading />}>
      {({ pages }) => {
        const results = pages.flatMap((page) => page.found)
        return (
          <div className={classes.results}>
            <Text variant="note" role="status">
              {t(search.hasNextPage ? 'console.HistoryFoundSoFar' : 'console.HistoryFound', {
                count: results.length,
                lines: number(results.length),
              })}
            </Text>
            <Box component="ul" my="xs" dir="ltr">
              {results.map((result) => (
                <li key={result.position}>
                  <UnstyledButton className={classes.result} onClick={() => onOpen(result)}>
                    <time>{dateTime(result.epoch * 1000)}</time>
                    <span>{result.line}</span>
                  </UnstyledButton>
                </li>
              ))}
            </Box>
            {search.hasNextPage && (
              <Button
                variant="default"
                size="xs"
                loading={search.isFetchingNextPage}
                onClick={() => void search.fetchNextPage()}
              >
                {t('console.HistorySearchOlder')}
              </Button>
            )}
          </div>
        )
      }}
    </QueryState>
  )
}

function Loading() {
  const t = useT()
  return <Loader mx="auto" my="2xl" size="sm" aria-label={t('common.Loading')} />
}
