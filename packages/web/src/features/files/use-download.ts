import { createDownload } from '@innkeeper/contract/files'
import { useCallback } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'

/** Downloads one file as it is, and a folder or several files as an archive. Errors are shown. */
export function useDownload(server: string): (paths: string[]) => Promise<void> {
  const { mutateAsync } = useApiMutation(createDownload)
  return useCallback(
    async (paths) => {
      const link = await mutateAsync({ params: { id: server }, body: { paths } }).catch(() => undefined)
      if (link) downloadUrl(link.url)
    },
    [mutateAsync, server],
  )
}

/** Clicks a link with `download`: unlike `location.href` it stays on the page if it fails, and asks about nothing. */
function downloadUrl(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
