import { createDownload, download } from '@innkeeper/contract/files'
import type { Serve } from '../access/serve.ts'
import { listed } from '../proxy/body-target.ts'
import type { DownloadsService } from './downloads.ts'

export function downloadRoutes(serve: Serve, downloads: DownloadsService): void {
  serve(createDownload, async ({ caller, server, body, acting }) => {
    acting.about({ target: listed(body.paths) })
    return { url: await downloads.create(caller, server, body.paths, acting) }
  })
  serve(download, ({ params, signal }) => downloads.open(params.ticket, signal))
}
