import { Anchor, Button, Text } from '@mantine/core'
import { IconArrowDown, IconCircleFilled } from '@tabler/icons-react'
import type { RefObject } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { Lines } from './buffer.ts'
import classes from './console.module.css'
import { FindBar } from './find-bar.tsx'
import { LogList } from './log-list.tsx'
import type { ConsolePreferences } from './preferences.ts'
import { type ConsoleView, useAnimationFrameUpdates } from './use-console-view.ts'
import type { Find } from './use-find.ts'

interface ConsoleOutputProps {
  readonly view: ConsoleView
  readonly find: Find
  readonly preferences: ConsolePreferences
  readonly scrollerRef: RefObject<HTMLDivElement | null>
  /** The panel or the node is unreachable. */
  readonly isStale: boolean
  readonly onHistory: () => void
}

/** The lines of the console, and what lies over them: the search and the way back to the end. */
export function ConsoleOutput({ view, find, preferences, scrollerRef, isStale, onHistory }: ConsoleOutputProps) {
  const t = useT()
  return (
    <div className={`${classes.output} ${isStale ? classes.stale : ''}`}>
      <LogList
        lines={view.lines}
        isFollowing={view.isFollowing}
        onFollowChange={view.follow}
        preferences={preferences}
        searchIndex={find.searchIndex}
        current={find.current}
        scrollerRef={scrollerRef}
        head={
          view.lines.first > 0 ? (
            <div className={`${classes.head} ${classes.note}`}>
              {t('console.OlderDropped')}{' '}
              <Anchor component="button" type="button" inherit onClick={onHistory}>
                {t('console.HistoryOpen')}
              </Anchor>
            </div>
          ) : undefined
        }
      />
      <EmptyMessage lines={view.lines} />
      {find.isOpen && (
        <FindBar
          find={find}
          onClose={() => {
            find.close()
            scrollerRef.current?.focus()
          }}
        />
      )}
      {!view.isFollowing && (view.unseen > 0 || !view.isPaused) && (
        <JumpToEnd unseen={view.unseen} onClick={view.resume} />
      )}
    </div>
  )
}

function JumpToEnd({ unseen, onClick }: { unseen: number; onClick: () => void }) {
  const t = useT()
  const { number } = useFormatters()
  return (
    <Button
      className={classes.jumpToEnd}
      variant="default"
      radius="xl"
      leftSection={<IconCircleFilled size={8} color="var(--ik-highlight)" aria-hidden />}
      rightSection={<IconArrowDown size={16} aria-hidden />}
      onClick={onClick}
    >
      {unseen > 0 ? t('console.NewLines', { count: unseen, lines: number(unseen) }) : t('console.JumpToEnd')}
    </Button>
  )
}

/** Disappears with the first line: it does not wait for the next render of the panel. */
function EmptyMessage({ lines }: { lines: Lines }) {
  const t = useT()
  useAnimationFrameUpdates(lines)
  return lines.end === lines.first ? <Text className={classes.empty}>{t('console.Empty')}</Text> : null
}
