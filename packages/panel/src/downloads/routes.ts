import { createDownload, download } from '@innkeeper/contract/files'
import type { RegisterRoute } from '../access/route-context.ts'
import { listed } from '../proxy/body-target.ts'
import type { DownloadsService } from './downloads.ts'

export function downloadRoutes(serve: RegisterRoute, downloads: DownloadsService): void {
  serve(createDownload, async ({ principal, server, body, audit }) => {
    audit.setSubject({ target: listed(body.paths) })
    return { url: await downloads.create(principal, server, body.paths, audit) }
  })
  serve(download, ({ params, signal }) => downloads.open(params.ticket, signal))
}
