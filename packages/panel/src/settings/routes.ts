import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig, type PanelConfig } from '@innkeeper/contract/settings/panel'
import * as calls from '@innkeeper/contract/settings/settings'
import { getVersion } from '../database/versions.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { SettingsService } from './settings.ts'

interface Deps {
  readonly settings: SettingsService
  readonly config: () => Promise<PanelConfig>
  readonly themes: { names(): Promise<readonly string[]> }
  /** Epoch milliseconds. */
  readonly lastBackupAt: () => Promise<number | undefined>
}

export function settingsRoutes(registerRoute: RegisterRoute, deps: Deps): void {
  const { settings, themes, config, lastBackupAt } = deps
  const expectTheme = async (name: unknown) => {
    if (!name || (await themes.names()).includes(String(name))) return
    throw new Refusal('ErrFieldInvalid', { field: 'panel.settings.defaultTheme' })
  }
  registerRoute(getConfig, () => config())
  registerRoute(calls.listSettings, async ({ principal, preconditions }) => {
    const all = await settings.list(principal)
    preconditions.setVersion(getVersion(all))
    return all
  })
  registerRoute(calls.getSetting, ({ principal, params }) => settings.get(principal, params.key))
  registerRoute(calls.putSetting, async ({ principal, params, body, audit }) => {
    if (params.key === 'panel.settings.defaultTheme') await expectTheme(body.value)
    return settings.put(principal, params.key, body.value, audit)
  })
  registerRoute(calls.postSettings, async ({ principal, body, preconditions, audit }) => {
    await expectTheme(body['panel.settings.defaultTheme'])
    audit.setSubject({ target: Object.keys(body).join(', ') })
    return settings.store(principal, body, audit, preconditions.expectedVersion)
  })
  registerRoute(calls.getLastBackup, async () => {
    const at = await lastBackupAt()
    return at === undefined ? {} : { lastBackupAt: new Date(at).toISOString() }
  })
}
