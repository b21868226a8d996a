import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import classes from './tooltip-layer.module.css'

const delayMs = 400
const gap = 6

interface Tip {
  readonly text: string
  readonly middle: number
  readonly above: number
  readonly below: number
}

/**
 * One tooltip for the whole page: it names whatever carries `data-tip` while the pointer rests on it or the keyboard
 * is there. Esc puts it away. A list of fifty rows needs no fifty tooltips.
 */
export function TooltipLayer() {
  const [tip, setTip] = useState<Tip>()

  useEffect(() => {
    let timer: number | undefined
    const hide = () => {
      window.clearTimeout(timer)
      setTip(undefined)
    }
    const show = (event: Event) => {
      const owner = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') : null
      hide()
      if (!owner?.dataset.tip) return
      if (event.type === 'focusin' && !owner.matches(':focus-visible')) return
      const text = owner.dataset.tip
      timer = window.setTimeout(() => {
        const { left, width, top, bottom } = owner.getBoundingClientRect()
        if (owner.isConnected) setTip({ text, middle: left + width / 2, above: top - gap, below: bottom + gap })
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
  }, [])

  if (!tip) return null
  const isBelow = tip.above < 40
  return createPortal(
    <div
      className={classes.tip}
      data-below={isBelow || undefined}
      aria-hidden
      style={{
        insetBlockStart: isBelow ? tip.below : tip.above,
        insetInlineStart: fromStart(Math.min(Math.max(tip.middle, 48), innerWidth - 48)),
      }}
    >
      {tip.text}
    </div>,
    document.body,
  )
}

/** A distance from the left edge of the window as one from where lines begin. */
function fromStart(fromLeft: number): number {
  return document.documentElement.dir === 'rtl' ? innerWidth - fromLeft : fromLeft
}
