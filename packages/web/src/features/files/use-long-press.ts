import { type PointerEvent, useRef } from 'react'

const longPressMs = 500
/** A finger that moves further is scrolling. */
const slack = 10

/** A finger that rests on a row asks for its menu. The tap that ends it is none. */
export function useLongPress(onLong: (row: number, place: { readonly x: number; readonly y: number }) => void) {
  const timer = useRef<number>(undefined)
  const begin = useRef({ x: 0, y: 0 })
  const isLong = useRef(false)
  const stop = () => window.clearTimeout(timer.current)

  return {
    wasLong: () => {
      const was = isLong.current
      isLong.current = false
      return was
    },
    events: {
      onPointerDown: (event: PointerEvent) => {
        isLong.current = false
        stop()
        const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-at]') : undefined
        if (event.pointerType !== 'touch' || !row) return
        const place = { x: event.clientX, y: event.clientY }
        begin.current = place
        timer.current = window.setTimeout(() => {
          isLong.current = true
          onLong(Number(row.dataset.at), place)
        }, longPressMs)
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        const { x, y } = begin.current
        if (Math.hypot(clientX - x, clientY - y) > slack) stop()
      },
      onPointerUp: stop,
      onPointerCancel: stop,
    },
  }
}
