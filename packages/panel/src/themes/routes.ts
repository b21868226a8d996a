import { tarLimits } from '@innkeeper/contract/theme/tar'
import * as calls from '@innkeeper/contract/themes'
import type { Serve } from '../access/serve.ts'
import type { ThemesService } from './themes.ts'

/** An archive in Base64, and the JSON around it. */
const uploadBytes = Math.ceil(tarLimits.archiveBytes / 3) * 4 + 1024

export function themeRoutes(serve: Serve, themes: ThemesService): void {
  serve(calls.listThemes, () => themes.list())
  serve(calls.putTheme, ({ params, body, acting }) => themes.put(params.name, body.archive, acting), {
    bodyBytes: uploadBytes,
  })
  serve(calls.renameTheme, ({ params, acting }) => themes.rename(params.name, params.newName, acting))
  serve(calls.deleteTheme, ({ params, acting }) => themes.remove(params.name, acting))
}
