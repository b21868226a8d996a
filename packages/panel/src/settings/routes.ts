import * as calls from '@innkeeper/contract/panel'
import type { Serve } from '../access/serve.ts'
import type { SettingsService } from './settings.ts'

export function settingsRoutes(serve: Serve, settings: SettingsService): void {
  serve(calls.getConfig, () => settings.config())
}
