import * as calls from '@innkeeper/contract/settings/themes'
import { tarLimits } from '@innkeeper/contract/theme/tar'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { ThemesService } from './themes.ts'

/** An archive in Base64, and the JSON around it. */
const uploadBytes = Math.ceil(tarLimits.archiveBytes / 3) * 4 + 1024

export function themeRoutes(registerRoute: RegisterRoute, themes: ThemesService): void {
  registerRoute(calls.listThemes, () => themes.list())
  registerRoute(calls.putTheme, ({ params, body, audit }) => themes.put(params.name, body.archive, audit), {
    bodyBytes: uploadBytes,
  })
  registerRoute(calls.renameTheme, ({ params, audit }) => themes.rename(params.name, params.newName, audit))
  registerRoute(calls.deleteTheme, ({ params, audit }) => themes.remove(params.name, audit))
}
