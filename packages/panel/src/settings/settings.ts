import type { PanelConfig } from '@innkeeper/contract/panel'
import type { Database } from '../database/schema.ts'

const brand = 'Innkeeper'

interface Needs {
  readonly db: Database
  readonly version: string
  readonly setupNeeded: () => Promise<boolean>
}

export type SettingsService = ReturnType<typeof settingsService>

/** What administrators chose for the panel as a whole. */
export function settingsService({ db, version, setupNeeded }: Needs) {
  async function setting(key: string): Promise<string | undefined> {
    const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst()
    return row?.value
  }

  return {
    /** What everyone may know before logging in. */
    async config(): Promise<PanelConfig> {
      return {
        branding: { name: (await setting('panel.settings.companyName')) || brand },
        themes: { active: brand, available: [brand] },
        registrationEnabled: false,
        setupNeeded: await setupNeeded(),
        version,
      }
    },
  }
}
