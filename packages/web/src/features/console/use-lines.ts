import { limits } from '@innkeeper/contract/limits'
import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useReducer, useState } from 'react'
import { type ConsoleBuffer, type Lines, snapshotOf } from './buffer.ts'

/** What of a console is shown: everything as it comes, or what was there when the reader stopped it. */
type Showing = { readonly is: 'following' } | { readonly is: 'scrolled' | 'paused'; readonly lines: Lines }

/** Which lines a console shows. While it is held the buffer goes on, and only the number of unseen lines changes. */
export function useLines(buffer: ConsoleBuffer) {
  const [showing, setShowing] = useState<Showing>({ is: 'following' })
  const isFollowing = showing.is === 'following'
  useRefresh(buffer)

  const follow = useCallback(
    (following: boolean) =>
      setShowing((now) => {
        // A pause is ended by Resume alone.
        if (now.is === 'paused' || (now.is === 'following') === following) return now
        return following ? { is: 'following' } : { is: 'scrolled', lines: snapshotOf(buffer) }
      }),
    [buffer],
  )
  const pause = useCallback(
    () => setShowing((now) => ({ is: 'paused', lines: now.is === 'following' ? snapshotOf(buffer) : now.lines })),
    [buffer],
  )
  const resume = useCallback(() => setShowing({ is: 'following' }), [])

  return {
    lines: isFollowing ? buffer : showing.lines,
    unseen: isFollowing ? 0 : Math.max(0, buffer.end - showing.lines.end),
    isFollowing,
    isPaused: showing.is === 'paused',
    follow,
    pause,
    resume,
  }
}

/** Draws what is only counted, not read: twice a second while something changes. */
function useRefresh(buffer: ConsoleBuffer): void {
  const [, draw] = useReducer((times: number) => times + 1, 0)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const forget = buffer.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        draw()
      }, limits.consoleRefreshMs)
    })
    return () => {
      forget()
      clearTimeout(timer)
    }
  }, [buffer])
}

/**
 * Draws the lines themselves: at most once per frame, whatever arrives, and never while nobody sees the page. Calls
 * `onFrame` before each of these renders, and when `lines` is another object.
 */
export function useFrames(lines: Lines, onFrame?: () => void): void {
  const [, draw] = useReducer((times: number) => times + 1, 0)
  const prepare = useEffectEvent(() => onFrame?.())

  useLayoutEffect(() => {
    prepare()
    draw()
    if (!('subscribe' in lines)) return
    let frame: number | undefined
    const forget = (lines as ConsoleBuffer).subscribe(() => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined
        prepare()
        draw()
      })
    })
    return () => {
      forget()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [lines])
}
