import { createDownload, download } from '@innkeeper/contract/files'
import type { RegisterRoute } from '../access/route-context.ts'
import { listed } from '../proxy/body-target.ts'
import type { DownloadsService } from './downloads.ts'

export function downloadRoutes(registerRoute: RegisterRoute, downloads: DownloadsService): void {
  registerRoute(createDownload, async ({ principal, server, body, audit }) => {
    audit.setSubject({ target: listed(body.paths) })
    return { url: await downloads.create(principal, server, body.paths, audit) }
  })
  registerRoute(download, ({ params, signal }) => downloads.open(params.ticket, signal))
}
