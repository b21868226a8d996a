import { z } from 'zod/mini'
import { useJsonPreference } from '../../session/preferences.tsx'

export const minFontSize = 11
export const maxFontSize = 18

/** Preferences for all consoles. */
const Preferences = z.object({
  timestamps: z.catch(z.boolean(), true),
  /** Shows no time beside lines that begin with one of their own. */
  hidesDoubleTimes: z.catch(z.boolean(), false),
  wrap: z.catch(z.boolean(), true),
  /** In pixels; the default depends on the device. */
  fontSize: z.catch(z.optional(z.int().check(z.minimum(minFontSize), z.maximum(maxFontSize))), undefined),
  /** Whether screen readers announce new lines. */
  readAloud: z.catch(z.boolean(), false),
  sidebar: z.catch(z.boolean(), true),
})
export type ConsolePreferences = z.infer<typeof Preferences>

const defaults: ConsolePreferences = {
  timestamps: true,
  hidesDoubleTimes: false,
  wrap: true,
  readAloud: false,
  sidebar: true,
}
/** On a phone the timestamps would take a third of the width. */
const phoneDefaults: ConsolePreferences = { ...defaults, timestamps: false }

function parsePreferences(value: unknown): ConsolePreferences | undefined {
  const result = Preferences.safeParse(value)
  return result.success ? result.data : undefined
}

export function useConsolePreferences(isPhone: boolean) {
  const [preferences, setPreferences] = useJsonPreference(
    isPhone ? 'consoleOnPhone' : 'console',
    parsePreferences,
    isPhone ? phoneDefaults : defaults,
  )
  const change = (changes: Partial<ConsolePreferences>) => setPreferences({ ...preferences, ...changes })
  return { preferences, change }
}

/** The font size in pixels, and the height of a row. */
export function getTextSize({ fontSize }: ConsolePreferences, isPhone: boolean) {
  const size = fontSize ?? (isPhone ? 12 : 13)
  return { fontSize: size, lineHeight: size + (isPhone ? 6 : 7) }
}
