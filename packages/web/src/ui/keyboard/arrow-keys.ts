/** Whether the text of the page runs from right to left. */
export function isRtl(): boolean {
  return document.documentElement.dir === 'rtl'
}

/** How an arrow key moves in a row: 1 to what is next, -1 to what is before it. `undefined` for other keys. */
export function getArrowStep({ key }: { readonly key: string }): 1 | -1 | undefined {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return undefined
  return (key === 'ArrowRight') === isRtl() ? -1 : 1
}
