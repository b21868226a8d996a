import { createDownload } from '@innkeeper/contract/files'
import { useCallback } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'

/** Brings files to the person's own disk: one as it is, a folder or several as an archive. Refusals are shown. */
export function useDownload(server: string): (paths: string[]) => Promise<void> {
  const { mutateAsync } = useApiMutation(createDownload)
  return useCallback(
    async (paths) => {
      const link = await mutateAsync({ params: { id: server }, body: { paths } }).catch(() => undefined)
      if (link) follow(link.url)
    },
    [mutateAsync, server],
  )
}

/**
 * Lets the browser download what a link leads to. A link of the page, and not its address: if it fails, the panel
 * stays in view, and nobody is asked about unsaved work.
 */
function follow(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
