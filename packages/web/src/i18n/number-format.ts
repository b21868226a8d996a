export type NumberFormatter = (value: number, decimals?: number) => string

const numberFormatters = new Map<string, NumberFormatter>()

/** The formatter of numbers of a language. */
export function getNumberFormatter(tag: string): NumberFormatter {
  const formatter = numberFormatters.get(tag) ?? createNumberFormatter(tag)
  numberFormatters.set(tag, formatter)
  return formatter
}

/** Returns a function that formats numbers with a given number of decimals. */
export function createNumberFormatter(tag: string, options: Intl.NumberFormatOptions = {}): NumberFormatter {
  const byDecimals = new Map<number, Intl.NumberFormat>()
  return (value, decimals = 0) => {
    const format =
      byDecimals.get(decimals) ??
      new Intl.NumberFormat(tag, { ...options, minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    byDecimals.set(decimals, format)
    return format.format(value)
  }
}
