import { type PointerEvent, useRef } from 'react'

const longPressMs = 500
/** A touch that moves further scrolls. */
const maxMovementPx = 10

/** Calls `onLongPress` when a finger rests on a row. The click that follows must be ignored: see `wasLongPress`. */
export function useLongPress(onLongPress: (row: number, position: { readonly x: number; readonly y: number }) => void) {
  const timer = useRef<number>(undefined)
  const start = useRef({ x: 0, y: 0 })
  const isLongPress = useRef(false)
  const stop = () => window.clearTimeout(timer.current)

  return {
    wasLongPress: () => {
      const was = isLongPress.current
      isLongPress.current = false
      return was
    },
    events: {
      onPointerDown: (event: PointerEvent) => {
        isLongPress.current = false
        stop()
        const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-index]') : undefined
        if (event.pointerType !== 'touch' || !row) return
        const position = { x: event.clientX, y: event.clientY }
        start.current = position
        timer.current = window.setTimeout(() => {
          isLongPress.current = true
          onLongPress(Number(row.dataset.index), position)
        }, longPressMs)
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        const { x, y } = start.current
        if (Math.hypot(clientX - x, clientY - y) > maxMovementPx) stop()
      },
      onPointerUp: stop,
      onPointerCancel: stop,
    },
  }
}
