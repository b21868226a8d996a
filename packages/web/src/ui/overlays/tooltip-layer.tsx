import { useDirection } from '@mantine/core'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import classes from './tooltip-layer.module.css'

const delayMs = 400
const gap = 6

type Side = 'above' | 'below' | 'end'

interface DelegatedTooltip {
  readonly text: string
  readonly side: Side
  /** The middle of the edge that faces the element, in pixels of the window. */
  readonly x: number
  readonly y: number
}

/** Above the element if there is space, or at its end with `data-tip-side="end"`. */
function place(target: HTMLElement, text: string, isRtl: boolean): DelegatedTooltip {
  const { left, right: permission, width, top, bottom, height } = target.getBoundingClientRect()
  if (target.dataset.tipSide === 'end') {
    return { text, side: 'end', x: isRtl ? left - gap : permission + gap, y: top + height / 2 }
  }
  const x = Math.min(Math.max(left + width / 2, 48), innerWidth - 48)
  return top - gap < 40 ? { text, side: 'below', x, y: bottom + gap } : { text, side: 'above', x, y: top - gap }
}

/**
 * One tooltip for all elements with `data-tip`: for icon buttons in the rows of large tables, where a `Tooltip` in each
 * row would be slow, and for those of the first load, which is smaller without Mantine's. It is hidden from screen readers
 * and touch does not open it: its text is the label of the button, or shown elsewhere in full. Esc hides it.
 */
export function TooltipLayer() {
  const { dir } = useDirection()
  const [tip, setTip] = useState<DelegatedTooltip>()

  useEffect(() => {
    let timer: number | undefined
    const hide = () => {
      window.clearTimeout(timer)
      setTip(undefined)
    }
    const show = (event: Event) => {
      const target = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') : null
      hide()
      if (!target?.dataset.tip) return
      if (event.type === 'focusin' && !target.matches(':focus-visible')) return
      const text = target.dataset.tip
      timer = window.setTimeout(() => {
        if (target.isConnected) setTip(place(target, text, dir === 'rtl'))
      }, delayMs)
    }
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide()
    }
    const shows = ['pointerover', 'focusin'] as const
    const hides = ['pointerdown', 'focusout', 'scroll', 'wheel'] as const
    for (const name of shows) document.addEventListener(name, show)
    for (const name of hides) document.addEventListener(name, hide, { capture: true, passive: true })
    document.addEventListener('keydown', press)
    return () => {
      window.clearTimeout(timer)
      for (const name of shows) document.removeEventListener(name, show)
      for (const name of hides) document.removeEventListener(name, hide, { capture: true })
      document.removeEventListener('keydown', press)
    }
  }, [dir])

  if (!tip) return null
  return createPortal(
    <div
      className={classes.tip}
      data-side={tip.side}
      aria-hidden
      style={{
        insetBlockStart: tip.y,
        insetInlineStart: dir === 'rtl' ? innerWidth - tip.x : tip.x,
      }}
    >
      {tip.text}
    </div>,
    document.body,
  )
}
