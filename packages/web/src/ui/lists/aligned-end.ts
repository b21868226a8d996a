/** Margin of a subtle button at the end of a row: its text ends where the content does, as its padding is not visible. */
export const alignedEnd = 'calc(var(--button-padding-x) * -1)'
