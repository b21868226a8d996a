import { ActionIcon, Button, Checkbox, VisuallyHidden } from '@mantine/core'
import { IconChevronDown, IconUpload, IconX } from '@tabler/icons-react'
import { useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { type Choice, isAtRest, isBusy, type Queue, rowsOf, sumOf, type Upload } from './queue.ts'
import { UploadRow } from './upload-row.tsx'
import type { UploadStore } from './upload-store.ts'
import classes from './uploads.module.css'
import { announcementOf, endText } from './words.ts'

/** The queue at the end of the window: what is uploaded, how far it is, and what can be done about it. */
export function UploadQueue({ store }: { store: UploadStore }) {
  const t = useT()
  const queue = useSyncExternalStore(store.watch, store.queue)
  const [isFolded, setIsFolded] = useState(false)
  const heard = useAnnouncement(queue)
  const sum = sumOf(queue)
  const isOver = !isBusy(queue)
  // A question cannot be answered in a pill.
  const isSmall = isFolded && sum.asking === 0
  useLeavingAsked(!isOver)
  const box = useCoveredHeight()

  return (
    <>
      <VisuallyHidden role="status">{heard}</VisuallyHidden>
      {queue.uploads.length > 0 && (
        <section
          ref={box}
          className={classes.queue}
          data-open={isSmall ? undefined : true}
          aria-label={t('uploads.Title')}
        >
          {isSmall ? (
            <button type="button" className={classes.pill} aria-expanded={false} onClick={() => setIsFolded(false)}>
              <IconUpload size={16} aria-hidden />
              <Summary queue={queue} />
            </button>
          ) : (
            <>
              <div className={classes.head}>
                <b>{isOver ? endText(t, queue) : t('uploads.Uploading', { at: place(sum), total: sum.total })}</b>
                <Speed running={sum.running} />
                {!isAtRest(queue) && (
                  <Button variant="subtle" color="gray" size="compact-sm" onClick={() => store.cancelAll()}>
                    {t('uploads.CancelAll')}
                  </Button>
                )}
                {isAtRest(queue) ? (
                  <ActionIcon aria-label={t('uploads.Close')} onClick={() => store.clear()}>
                    <IconX size={16} aria-hidden />
                  </ActionIcon>
                ) : (
                  <ActionIcon
                    aria-label={t('uploads.Fold')}
                    aria-expanded
                    disabled={sum.asking > 0}
                    onClick={() => setIsFolded(true)}
                  >
                    <IconChevronDown size={18} aria-hidden />
                  </ActionIcon>
                )}
              </div>
              <Question queue={queue} onChoose={(id, choice, all) => store.choose(id, choice, all)} />
              <Rows queue={queue} store={store} />
            </>
          )}
        </section>
      )}
    </>
  )
}

/** Which one of all is on its way. */
const place = ({ done, failed, total }: ReturnType<typeof sumOf>): number => Math.min(total, done + failed + 1)

function Summary({ queue }: { queue: Queue }) {
  const t = useT()
  const { percent: asPercent } = useFormatters()
  const sum = sumOf(queue)
  if (!isBusy(queue)) return <span>{endText(t, queue)}</span>
  return <span>{t('uploads.Pill', { at: place(sum), total: sum.total, percent: asPercent(sum.percent) })}</span>
}

function Speed({ running }: { running: Upload | undefined }) {
  const t = useT()
  const { bytes } = useFormatters()
  const speed = running?.state.is === 'running' ? running.state.pace.perSecond : undefined
  return (
    <span className={classes.speed}>
      {speed !== undefined && speed >= 1 && t('uploads.PerSecond', { size: bytes(speed) })}
    </span>
  )
}

interface QuestionProps {
  readonly queue: Queue
  readonly onChoose: (id: number, choice: Choice, all: boolean) => void
}

/** Asks what to do about the first name that is taken. */
function Question({ queue, onChoose }: QuestionProps) {
  const t = useT()
  const title = useId()
  const [forAll, setForAll] = useState(false)
  const asking = queue.uploads.filter(({ state }) => state.is === 'asking')
  const upload = asking[0]
  if (upload?.state.is !== 'asking') return null
  const choose = (choice: Choice) => {
    onChoose(upload.id, choice, forAll)
    setForAll(false)
  }
  return (
    <section className={classes.question} aria-labelledby={title}>
      <p id={title}>{t(upload.state.isFolder ? 'uploads.FolderExists' : 'uploads.Exists', { name: upload.path })}</p>
      <div className={classes.choices}>
        {!upload.state.isFolder && (
          <Button size="xs" variant="default" onClick={() => choose('replace')}>
            {t('uploads.Replace')}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => choose('keepBoth')}>
          {t('uploads.KeepBoth')}
        </Button>
        <Button size="xs" variant="default" onClick={() => choose('skip')}>
          {t('uploads.Skip')}
        </Button>
      </div>
      <Checkbox
        size="xs"
        label={asking.length > 1 ? t('uploads.ApplyToThese', { count: asking.length }) : t('uploads.ApplyToAll')}
        checked={forAll}
        onChange={(event) => setForAll(event.currentTarget.checked)}
      />
    </section>
  )
}

function Rows({ queue, store }: { queue: Queue; store: UploadStore }) {
  const t = useT()
  const { rows, hidden } = rowsOf(queue)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable by keyboard
    <ul className={classes.rows} tabIndex={0} data-quiet-focus aria-label={t('uploads.Files')}>
      {rows.map((upload) => (
        <UploadRow
          key={upload.id}
          upload={upload}
          onCancel={() => store.cancel(upload.id)}
          onRetry={() => store.retry(upload.id)}
          onDismiss={() => store.dismiss(upload.id)}
        />
      ))}
      {hidden > 0 && <li className={classes.more}>{t('uploads.More', { count: hidden })}</li>}
    </ul>
  )
}

/** What is read out: the start, what fails or needs an answer, and the end. */
function useAnnouncement(queue: Queue): string {
  const t = useT()
  const before = useRef(queue)
  const [heard, setHeard] = useState('')

  useEffect(() => {
    const next = announcementOf(t, before.current, queue)
    const isAnswered = sumOf(before.current).asking > 0 && sumOf(queue).asking === 0
    before.current = queue
    if (next !== undefined) setHeard(next)
    // What is no longer true must not be found by a screen reader later, on whatever page.
    else if (isAnswered || queue.uploads.length === 0) setHeard('')
  }, [queue, t])
  return heard
}

/** Tells the style sheets how much of a list the queue covers, so that lists can be scrolled clear of it. */
function useCoveredHeight(): (box: HTMLElement | null) => (() => void) | undefined {
  return useCallback((box) => {
    if (!box) return undefined
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => style.setProperty('--ik-uploads-height', `${box.offsetHeight}px`))
    observer.observe(box)
    return () => {
      observer.disconnect()
      style.removeProperty('--ik-uploads-height')
    }
  }, [])
}

/** The browser asks before the window closes on what is under way. */
function useLeavingAsked(isUnderWay: boolean): void {
  useEffect(() => {
    if (!isUnderWay) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUnderWay])
}
