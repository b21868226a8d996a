import { useCallback } from 'react'
import { z } from 'zod'
import { useJsonPreference } from '../../session/preferences.tsx'

/** How a person likes to read consoles; the same for all servers. */
const View = z.object({
  timestamps: z.boolean().catch(true),
  wrap: z.boolean().catch(true),
  /** Pixels; absent means the default of the device. */
  fontSize: z.number().int().min(11).max(18).optional().catch(undefined),
  /** A screen reader reads what arrives. */
  readAloud: z.boolean().catch(false),
  rail: z.boolean().catch(true),
})
export type ConsoleView = z.infer<typeof View>

const usual: ConsoleView = { timestamps: true, wrap: true, readAloud: false, rail: true }
/** On a phone the time would take a third of each line. */
const usualOnPhone: ConsoleView = { ...usual, timestamps: false }

export const smallestFont = 11
export const largestFont = 18

function viewIn(value: unknown): ConsoleView | undefined {
  const read = View.safeParse(value)
  return read.success ? read.data : undefined
}

/** The options of the console's toolbar, and a way to change some. */
export function useConsoleView(isPhone: boolean) {
  const [view, setView] = useJsonPreference(
    isPhone ? 'consoleOnPhone' : 'console',
    viewIn,
    isPhone ? usualOnPhone : usual,
  )
  const change = useCallback((part: Partial<ConsoleView>) => setView({ ...view, ...part }), [view, setView])
  return { view, change }
}
