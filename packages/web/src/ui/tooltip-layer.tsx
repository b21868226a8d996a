import { useDirection } from '@mantine/core'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import classes from './tooltip-layer.module.css'

const delayMs = 400
const gap = 6

interface DelegatedTooltip {
  readonly text: string
  readonly middle: number
  readonly above: number
  readonly below: number
}

/**
 * One tooltip for all elements with `data-tip`: for icon buttons in the rows of large tables, where a `Tooltip` in each
 * row would be slow. It repeats the label of the button and is hidden from screen readers; anything else needs a
 * `Tooltip`. Esc hides it.
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
        const { left, width, top, bottom } = target.getBoundingClientRect()
        if (target.isConnected) setTip({ text, middle: left + width / 2, above: top - gap, below: bottom + gap })
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
  const center = Math.min(Math.max(tip.middle, 48), innerWidth - 48)
  return createPortal(
    <div
      className={classes.tip}
      data-below={isBelow || undefined}
      aria-hidden
      style={{
        insetBlockStart: isBelow ? tip.below : tip.above,
        insetInlineStart: dir === 'rtl' ? innerWidth - center : center,
      }}
    >
      {tip.text}
    </div>,
    document.body,
  )
}
