import { createDownload } from '@innkeeper/contract/files'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { downloadUrl } from '../../ui/download-url.ts'

/** Downloads one file as it is, and a folder or several files as an archive. Errors are shown. */
export function useDownload(server: string): (paths: string[]) => Promise<void> {
  const { mutateAsync } = useApiMutation(createDownload)
  return async (paths) => {
    const link = await mutateAsync({ params: { id: server }, body: { paths } }).catch(() => undefined)
    if (link) downloadUrl(link.url)
  }
}
