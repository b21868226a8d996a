import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useReducer, useState } from 'react'
import { type ConsoleBuffer, type Lines, takeSnapshot } from './buffer.ts'

const refreshIntervalMs = 500

/** `following` shows new output as it arrives; the others show a snapshot from when the user scrolled up or paused. */
type ViewMode = { readonly type: 'following' } | { readonly type: 'scrolled' | 'paused'; readonly lines: Lines }

export type ConsoleView = ReturnType<typeof useConsoleView>

/** The lines that a console shows. While they are frozen the buffer still grows, and `unseen` counts the new lines. */
export function useConsoleView(buffer: ConsoleBuffer) {
  const [mode, setMode] = useState<ViewMode>({ type: 'following' })
  const isFollowing = mode.type === 'following'
  useThrottledUpdates(buffer)

  const follow = useCallback(
    (following: boolean) =>
      setMode((mode) => {
        // Scrolling to the end does not end a pause: only `resume` does.
        if (mode.type === 'paused' || (mode.type === 'following') === following) return mode
        return following ? { type: 'following' } : { type: 'scrolled', lines: takeSnapshot(buffer) }
      }),
    [buffer],
  )
  const pause = () =>
    setMode((mode) => ({ type: 'paused', lines: mode.type === 'following' ? takeSnapshot(buffer) : mode.lines }))
  const resume = () => setMode({ type: 'following' })

  return {
    lines: isFollowing ? buffer : mode.lines,
    unseen: isFollowing ? 0 : Math.max(0, buffer.end - mode.lines.end),
    isFollowing,
    isPaused: mode.type === 'paused',
    follow,
    pause,
    resume,
  }
}

/** Renders counters (unseen lines, buffer size) at most once per {@link refreshIntervalMs}. */
function useThrottledUpdates(buffer: ConsoleBuffer): void {
  const [, rerender] = useReducer((count: number) => count + 1, 0)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = buffer.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        rerender()
      }, refreshIntervalMs)
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [buffer])
}

/**
 * Renders after changes of the lines, at most once per animation frame and never in a background tab. Calls `onFrame`
 * before each of these renders and when `lines` is another object.
 */
export function useAnimationFrameUpdates(lines: Lines, onFrame?: () => void): void {
  const [, rerender] = useReducer((count: number) => count + 1, 0)
  const prepare = useEffectEvent(() => onFrame?.())

  useLayoutEffect(() => {
    prepare()
    rerender()
    if (!('subscribe' in lines)) return
    let frame: number | undefined
    const unsubscribe = (lines as ConsoleBuffer).subscribe(() => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined
        prepare()
        rerender()
      })
    })
    return () => {
      unsubscribe()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [lines])
}
