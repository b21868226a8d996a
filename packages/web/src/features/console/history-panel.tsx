import { downloadConsole, getConsoleHistory, searchConsole } from '@innkeeper/contract/console-history'
import { limits } from '@innkeeper/contract/limits'
import { ActionIcon, Button, Loader, TextInput, Tooltip } from '@mantine/core'
import { IconArrowLeft, IconChevronDown, IconChevronUp, IconDownload, IconSearch, IconX } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, use, useEffect, useMemo, useRef, useState } from 'react'
import { request } from '../../api/request.ts'
import { downloadBytes } from '../../api/upload-download.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { saveAsFile } from '../../ui/save-as-file.ts'
import { ConsoleBuffer } from './buffer.ts'
import { expressionOf, Finder } from './finder.ts'
import classes from './history.module.css'
import { LogList } from './log-list.tsx'
import { logNameOf, plainTextOf } from './log-text.ts'
import type { ConsoleView } from './preferences.ts'

interface HistoryPanelProps {
  readonly server: string
  /** What a downloaded file is called, but for the time. */
  readonly name: string
  readonly view: ConsoleView
  readonly fontSize: number
  readonly lineHeight: number
  readonly onClose: () => void
}

/** A line that a search found. */
interface Found {
  readonly position: number
  readonly epoch: number
  readonly line: string
}

/** What is being looked at: the output that ends before a position (or now), with a line that was searched for. */
interface Place {
  readonly before?: number
  readonly found?: Found
}

/** Everything that the node keeps of a console, page by page, and a search through all of it. Esc goes back. */
export function HistoryPanel({ server, name, view, fontSize, lineHeight, onClose }: HistoryPanelProps) {
  const t = useT()
  const [draft, setDraft] = useState('')
  const [wanted, setWanted] = useState('')
  // The way back: where the reader was before each step to older output.
  const [way, setWay] = useState<readonly Place[]>([{}])
  const [isReading, setIsReading] = useState(true)
  const place = way.at(-1) ?? {}
  const panel = useRef<HTMLElement>(null)
  const { download, isLoading } = useDownload(server, name)

  // What was clicked may be gone with the view it stood in; the keyboard stays here.
  useEffect(() => {
    if (isReading !== undefined && !panel.current?.contains(document.activeElement)) panel.current?.focus()
  }, [isReading])

  const search = (event: FormEvent) => {
    event.preventDefault()
    setWanted(draft.trim())
    setIsReading(draft.trim() === '')
  }
  const open = (found: Found) => {
    setWay([{ before: found.position + limits.consolePageBytes / 2, found }])
    setIsReading(true)
  }

  return (
    <section
      ref={panel}
      tabIndex={-1}
      className={classes.history}
      aria-label={t('console.History')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        event.preventDefault()
        if (isReading && wanted !== '') setIsReading(false)
        else onClose()
      }}
    >
      <search>
        <form className={classes.bar} onSubmit={search}>
          {isReading && wanted !== '' && (
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              leftSection={<IconArrowLeft size={16} data-flip aria-hidden />}
              onClick={() => setIsReading(false)}
            >
              {t('console.HistoryResults')}
            </Button>
          )}
          <TextInput
            className={classes.field}
            size="xs"
            autoFocus
            value={draft}
            maxLength={limits.consoleSearchText}
            aria-label={t('console.HistorySearch')}
            placeholder={t('console.HistorySearch')}
            leftSection={<IconSearch size={15} aria-hidden />}
            onChange={(event) => setDraft(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" disabled={draft.trim() === ''}>
            {t('console.HistoryFind')}
          </Button>
          <Tooltip label={t('console.HistoryDownload')}>
            <ActionIcon
              size={30}
              variant="subtle"
              color="gray"
              loading={isLoading}
              aria-label={t('console.HistoryDownload')}
              onClick={() => void download()}
            >
              <IconDownload size={17} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <ActionIcon size={30} variant="subtle" color="gray" aria-label={t('console.HistoryClose')} onClick={onClose}>
            <IconX size={17} aria-hidden />
          </ActionIcon>
        </form>
      </search>
      {isReading ? (
        <Reading
          key={place.before ?? 'now'}
          server={server}
          place={place}
          wanted={wanted}
          view={view}
          fontSize={fontSize}
          lineHeight={lineHeight}
          onOlder={(before) => setWay([...way, { before }])}
          onNewer={way.length > 1 || place.before !== undefined ? (to) => setWay(newerThan(way, to)) : undefined}
        />
      ) : (
        <Results server={server} wanted={wanted} onOpen={open} />
      )}
    </section>
  )
}

/** Brings all that is kept to the person's own disk, as plain text. */
function useDownload(server: string, name: string) {
  const tell = use(ShowErrorContext)
  const [isLoading, setIsLoading] = useState(false)
  const download = async () => {
    setIsLoading(true)
    try {
      const answer = await downloadBytes(downloadConsole, { params: { id: server } })
      saveAsFile(logNameOf(name, new Date()), await answer.blob())
    } catch (refusal) {
      tell(refusal)
    } finally {
      setIsLoading(false)
    }
  }
  return { download, isLoading }
}

/** One step back towards now: where the reader came from, or the page after what a search led to. */
function newerThan(way: readonly Place[], to: number): readonly Place[] {
  return way.length > 1 ? way.slice(0, -1) : [{ before: to + limits.consolePageBytes }]
}

interface ReadingProps {
  readonly server: string
  readonly place: Place
  readonly wanted: string
  readonly view: ConsoleView
  readonly fontSize: number
  readonly lineHeight: number
  readonly onOlder: (before: number) => void
  readonly onNewer: ((to: number) => void) | undefined
}

/** A page of output. */
function Reading({ server, place, wanted, view, fontSize, lineHeight, onOlder, onNewer }: ReadingProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const scroller = useRef<HTMLDivElement>(null)
  const [isAtEnd, setIsAtEnd] = useState(place.found === undefined)
  const page = useApiQuery(
    getConsoleHistory,
    { params: { id: server }, query: place.before === undefined ? {} : { before: place.before } },
    { staleTime: place.before === undefined ? 0 : Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  )
  const lines = useMemo(() => {
    const buffer = new ConsoleBuffer()
    for (const { text: logs, epoch } of page.data?.logs ?? []) buffer.write(logs, epoch)
    return buffer
  }, [page.data])
  const finder = useMemo(() => {
    const expression = expressionOf({ text: wanted, matchCase: false, isRegex: false })
    if (!expression) return undefined
    const made = new Finder(expression)
    made.look(lines)
    return made
  }, [wanted, lines])
  const current = useMemo(() => {
    const { found } = place
    if (!found) return undefined
    const isIt = (line: number) =>
      plainTextOf(lines, { from: line, end: line + 1 })
        .trimEnd()
        .endsWith(found.line.trim())
    return finder?.matches.findLast(({ line }) => (lines.at(line)?.time ?? 0) <= found.epoch && isIt(line))
  }, [finder, lines, place])

  if (page.error && !page.data) {
    return <QueryError title={t('console.HistoryFailed')} error={page.error} retry={() => void page.refetch()} />
  }
  if (!page.data) return <Loader className={classes.wait} size="sm" />
  const { from, to, isOldest, logs } = page.data
  const [first, last] = [logs[0], logs.at(-1)]
  return (
    <>
      <div className={classes.steps}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconChevronUp size={15} aria-hidden />}
          disabled={isOldest}
          onClick={() => onOlder(from)}
        >
          {t('console.HistoryOlder')}
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconChevronDown size={15} aria-hidden />}
          disabled={!onNewer}
          onClick={() => onNewer?.(to)}
        >
          {t('console.HistoryNewer')}
        </Button>
        <span className={classes.span} role="status">
          {first && last
            ? t('console.HistorySpan', { from: dateTime(first.epoch * 1000), to: dateTime(last.epoch * 1000) })
            : t('console.Empty')}
        </span>
      </div>
      <div className={classes.log}>
        <LogList
          lines={lines}
          following={isAtEnd}
          onFollow={setIsAtEnd}
          wrap={view.wrap}
          timestamps={view.timestamps}
          fontSize={fontSize}
          lineHeight={lineHeight}
          finder={finder}
          current={current}
          scroller={scroller}
        />
      </div>
    </>
  )
}

interface ResultsProps {
  readonly server: string
  readonly wanted: string
  readonly onOpen: (found: Found) => void
}

/** The lines that hold what was searched for, the newest first. */
function Results({ server, wanted, onOpen }: ResultsProps) {
  const t = useT()
  const { dateTime, number } = useFormatters()
  const search = useInfiniteQuery({
    queryKey: getQueryKey(searchConsole, { params: { id: server }, query: { text: wanted } }),
    queryFn: ({ pageParam: before, signal }) =>
      request(
        searchConsole,
        { params: { id: server }, query: { text: wanted, ...(before !== undefined && { before }) } },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
  })
  if (search.isError && !search.data) {
    return <QueryError title={t('console.HistoryFailed')} error={search.error} retry={() => void search.refetch()} />
  }
  if (!search.data) return <Loader className={classes.wait} size="sm" />
  const found = search.data.pages.flatMap((page) => page.found)
  return (
    <div className={classes.results}>
      <p className={classes.count} role="status">
        {t(search.hasNextPage ? 'console.HistoryFoundSoFar' : 'console.HistoryFound', {
          count: found.length,
          lines: number(found.length),
        })}
      </p>
      <ul dir="ltr">
        {found.map((one) => (
          <li key={one.position}>
            <button type="button" className={classes.result} onClick={() => onOpen(one)}>
              <time>{dateTime(one.epoch * 1000)}</time>
              <span>{one.line}</span>
            </button>
          </li>
        ))}
      </ul>
      {search.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          loading={search.isFetchingNextPage}
          onClick={() => void search.fetchNextPage()}
        >
          {t('console.HistoryGoOn')}
        </Button>
      )}
    </div>
  )
}
