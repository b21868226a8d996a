import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import type { FileItem } from './entries.ts'

/** How many folders and how many files there are. */
export function ItemCounts({ items }: { items: readonly FileItem[] }) {
  const t = useT()
  const { number } = useFormatters()
  const folders = items.filter(({ isFolder }) => isFolder).length
  const files = items.length - folders
  return (
    <span>
      {t('files.FolderCount', { count: folders, number: number(folders) })} ·{' '}
      {t('files.FileCount', { count: files, number: number(files) })}
    </span>
  )
}
