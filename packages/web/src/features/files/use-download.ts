import { createDownload } from '@innkeeper/contract/servers/files'
import { useApiMutation } from '../../api/use-action.ts'
import { downloadUrl } from '../../ui/feedback/download-url.ts'

/** Downloads one file as it is, and a folder or several files as an archive. */
export function useDownload(server: string): (paths: string[]) => Promise<boolean> {
  const { mutate } = useApiMutation(createDownload, { onSuccess: ({ url }) => downloadUrl(url) })
  return (paths) => mutate({ params: { id: server }, body: { paths } })
}
