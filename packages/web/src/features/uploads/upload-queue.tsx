import { ActionIcon, Box, Button, Checkbox, Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { IconChevronDown, IconUpload, IconX } from '@tabler/icons-react'
import { useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { notifyInTab } from '../../theme/browser-tab.ts'
import { getAnnouncement, getSummary } from './messages.ts'
import {
  type ConflictChoice,
  getTotals,
  getVisibleRows,
  isBusy,
  isIdle,
  type Queue,
  type Totals,
  type Upload,
} from './queue.ts'
import { UploadRow } from './upload-row.tsx'
import type { UploadStore } from './upload-store.ts'
import classes from './uploads.module.css'

/** The panel with the upload queue, at the bottom of the window. */
export function UploadQueue({ store }: { store: UploadStore }) {
  const t = useT()
  const { percent } = useFormatters()
  const queue = useSyncExternalStore(store.subscribe, store.getQueue)
  const [isMinimized, setIsMinimized] = useState(false)
  const announcement = useAnnouncement(queue)
  const totals = getTotals(queue)
  const hasEnded = !isBusy(queue)
  const values = { position: getPosition(totals), total: totals.total, percent: percent(totals.percent) }
  // The minimized panel has no room for a question.
  const isSmall = isMinimized && totals.conflicts === 0
  // The browser asks before the window is closed while uploads are running.
  useWindowEvent('beforeunload', (event) => {
    if (!hasEnded) event.preventDefault()
  })
  const panel = useQueueHeight()

  return (
    <>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
      {queue.uploads.length > 0 && (
        <Paper
          component="section"
          ref={panel}
          className={classes.queue}
          bg="var(--ik-raised)"
          shadow="md"
          w={isSmall ? undefined : 'min(24.5rem, calc(100vw - 2rem))'}
          aria-label={t('uploads.Title')}
        >
          {isSmall ? (
            <Button
              className={classes.figures}
              variant="subtle"
              c="var(--ik-text)"
              h="2.75rem"
              px="md"
              fz="compact"
              leftSection={<IconUpload size={16} aria-hidden />}
              aria-expanded={false}
              onClick={() => setIsMinimized(false)}
            >
              {hasEnded ? getSummary(t, queue) : t('uploads.MinimizedProgress', values)}
            </Button>
          ) : (
            <>
              <Group className={classes.section} gap="xs" wrap="nowrap" mih={50} py="xs" ps="sm" pe="xs">
                <Text component="b" fw={600} flex={1} className={classes.figures}>
                  {hasEnded ? getSummary(t, queue) : t('uploads.Uploading', values)}
                </Text>
                <Speed running={totals.running} />
                {isIdle(queue) ? (
                  <ActionIcon aria-label={t('uploads.Close')} onClick={() => store.clear()}>
                    <IconX size={16} aria-hidden />
                  </ActionIcon>
                ) : (
                  <>
                    <Button variant="subtle" size="compact-sm" flex="none" onClick={() => store.cancelAll()}>
                      {t('uploads.CancelAll')}
                    </Button>
                    <ActionIcon
                      aria-label={t('uploads.Minimize')}
                      aria-expanded
                      disabled={totals.conflicts > 0}
                      onClick={() => setIsMinimized(true)}
                    >
                      <IconChevronDown size={18} aria-hidden />
                    </ActionIcon>
                  </>
                )}
              </Group>
              <ConflictQuestion queue={queue} onChoose={(id, choice, isForAll) => store.choose(id, choice, isForAll)} />
              <Rows queue={queue} store={store} />
            </>
          )}
        </Paper>
      )}
    </>
  )
}

/** The number of the current upload among all. */
const getPosition = ({ done, failed, total }: Totals): number => Math.min(total, done + failed + 1)

function Speed({ running }: { running: Upload | undefined }) {
  const { rate } = useFormatters()
  const speed = running?.state.status === 'running' ? running.state.rate.bytesPerSecond : undefined
  if (speed === undefined || speed < 1) return null
  return (
    <Text span fz="xs" c="var(--ik-subtle)" className={classes.figures}>
      {rate(speed)}
    </Text>
  )
}

interface ConflictQuestionProps {
  readonly queue: Queue
  readonly onChoose: (id: number, choice: ConflictChoice, isForAll: boolean) => void
}

/** Asks what to do about the first conflict. */
function ConflictQuestion({ queue, onChoose }: ConflictQuestionProps) {
  const t = useT()
  const titleId = useId()
  const [isForAll, setIsForAll] = useState(false)
  const conflicts = queue.uploads.filter(({ state }) => state.status === 'conflict')
  const upload = conflicts[0]
  if (upload?.state.status !== 'conflict') return null
  const { isFolder } = upload.state
  const choose = (choice: ConflictChoice) => {
    onChoose(upload.id, choice, isForAll)
    setIsForAll(false)
  }
  return (
    <Stack
      component="section"
      className={classes.section}
      gap="sm"
      px="md"
      py="sm"
      bg="var(--ik-warning-soft)"
      aria-labelledby={titleId}
    >
      <p id={titleId}>{t(isFolder ? 'uploads.FolderExists' : 'uploads.FileExists', { name: upload.path })}</p>
      <Group gap="xs">
        {!isFolder && (
          <Button size="xs" variant="default" onClick={() => choose('replace')}>
            {t('common.Replace')}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => choose('keepBoth')}>
          {t('common.KeepBoth')}
        </Button>
        <Button size="xs" variant="default" onClick={() => choose('skip')}>
          {t('common.Skip')}
        </Button>
      </Group>
      <Checkbox
        size="xs"
        label={conflicts.length > 1 ? t('uploads.ApplyToCount', { count: conflicts.length }) : t('uploads.ApplyToAll')}
        checked={isForAll}
        onChange={(event) => setIsForAll(event.currentTarget.checked)}
      />
    </Stack>
  )
}

function Rows({ queue, store }: { queue: Queue; store: UploadStore }) {
  const t = useT()
  const { rows, hidden, folded } = getVisibleRows(queue)
  return (
    // It can be scrolled by keyboard.
    <Box
      component="ul"
      py="2xs"
      mah="min(18rem, 40dvh)"
      style={{ overflowY: 'auto', overscrollBehavior: 'contain', outlineOffset: -2 }}
      tabIndex={0}
      aria-label={t('uploads.Files')}
    >
      {rows.map((upload) => (
        <UploadRow
          key={upload.id}
          upload={upload}
          onCancel={() => store.cancel(upload.id)}
          onRetry={() => store.retry(upload.id)}
          onDismiss={() => store.dismiss(upload.id)}
        />
      ))}
      {hidden > 0 && (
        <Box component="li" px="md" py="xs" fz="xs" c="var(--ik-subtle)">
          {t('common.AndMore', { count: hidden })}
        </Box>
      )}
      {folded > 0 && (
        <Box component="li" px="md" py="xs" fz="xs" c="var(--ik-subtle)">
          {t('uploads.Summary', { count: folded })}
        </Box>
      )}
    </Box>
  )
}

/** Announces the start, failures, conflicts and the end. */
function useAnnouncement(queue: Queue): string {
  const t = useT()
  const previous = useRef(queue)
  const [announcement, setAnnouncement] = useState('')

  useEffect(() => {
    const next = getAnnouncement(t, previous.current, queue)
    const isResolved = getTotals(previous.current).conflicts > 0 && getTotals(queue).conflicts === 0
    const isFinished = isBusy(previous.current) && !isBusy(queue)
    previous.current = queue
    if (isFinished && queue.uploads.length > 0) {
      notifyInTab(getTotals(queue).failed > 0 ? 'error' : 'success', getSummary(t, queue))
    }
    if (next !== undefined) setAnnouncement(next)
    // The region stays in the page: an outdated text could be read later.
    else if (isResolved || queue.uploads.length === 0) setAnnouncement('')
  }, [queue, t])
  return announcement
}

/** Sets `--ik-uploads-height`, so that the file list can be scrolled above the panel. */
function useQueueHeight(): (panel: HTMLElement | null) => (() => void) | undefined {
  return useCallback((panel) => {
    if (!panel) return undefined
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => style.setProperty('--ik-uploads-height', `${panel.offsetHeight}px`))
    observer.observe(panel)
    return () => {
      observer.disconnect()
      style.removeProperty('--ik-uploads-height')
    }
  }, [])
}
