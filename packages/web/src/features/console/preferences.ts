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
type StoredPreferences = z.infer<typeof Preferences>
export type ConsolePreferences = StoredPreferences & { readonly fontSize: number }

const defaults: ConsolePreferences = {
  timestamps: true,
  hidesDoubleTimes: false,
  wrap: true,
  fontSize: 13,
  readAloud: false,
  sidebar: true,
}
/** On a phone the timestamps would take a third of the width. */
const phoneDefaults: ConsolePreferences = { ...defaults, timestamps: false, fontSize: 12 }

function parsePreferences(value: unknown): StoredPreferences | undefined {
  const result = Preferences.safeParse(value)
  return result.success ? result.data : undefined
}

export function useConsolePreferences(isPhone: boolean) {
  const { fontSize, ...others } = isPhone ? phoneDefaults : defaults
  const [stored, setStored] = useJsonPreference<StoredPreferences>(
    isPhone ? 'consoleOnPhone' : 'console',
    parsePreferences,
    others,
  )
  const preferences: ConsolePreferences = { ...stored, fontSize: stored.fontSize ?? fontSize }
  const change = (changes: Partial<ConsolePreferences>) => setStored({ ...stored, ...changes })
  return { preferences, change }
}

/** The height of a row in pixels. */
export function getLineHeight(fontSize: number): number {
  return Math.round(fontSize * 1.5)
}
