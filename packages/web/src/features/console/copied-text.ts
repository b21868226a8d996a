import type { Lines } from './buffer.ts'
import { toPlainText } from './log-text.ts'

type FormatTime = ((time: number) => string) | undefined

/** Returns the text to copy: the selection inside the scroller, otherwise the visible lines. */
export function getCopiedText(scroller: HTMLElement, lines: Lines, formatTime: FormatTime): string {
  const selection = document.getSelection()
  const isSelected = selection && !selection.isCollapsed && scroller.contains(selection.anchorNode)
  return isSelected ? selectedText(selection, scroller, lines, formatTime) : visibleText(scroller, lines, formatTime)
}

const getRows = (scroller: HTMLElement) => [...scroller.querySelectorAll<HTMLElement>('[data-line]')]

/** Returns the selected text. When several lines are selected, each gets its time. */
function selectedText(selection: Selection, scroller: HTMLElement, lines: Lines, formatTime: FormatTime): string {
  const text = selection.toString()
  const parts = text.split('\n')
  const rows = getRows(scroller).filter((row) => selection.containsNode(row, true))
  if (!formatTime || parts.length < 2 || rows.length !== parts.length) return text
  return parts
    .map((part, index) => {
      const time = lines.at(Number(rows[index]?.dataset.line))?.time
      return time === undefined ? part : `[${formatTime(time * 1000)}] ${part}`
    })
    .join('\n')
}

function visibleText(scroller: HTMLElement, lines: Lines, formatTime: FormatTime): string {
  const { top, bottom } = scroller.getBoundingClientRect()
  const numbers = getRows(scroller)
    .filter((row) => row.getBoundingClientRect().bottom > top && row.getBoundingClientRect().top < bottom)
    .map((row) => Number(row.dataset.line))
  return toPlainText(lines, { from: numbers[0] ?? 0, end: (numbers.at(-1) ?? -1) + 1, formatTime })
}
