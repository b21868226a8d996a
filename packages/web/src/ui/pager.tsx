import type { Paging } from '@innkeeper/contract/paging'
import { ActionIcon } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useFormatters, useT } from '../i18n/i18n.tsx'
import classes from './pager.module.css'

interface PagerProps {
  readonly paging: Paging
  readonly onPage: (page: number) => void
}

/** Where one is in a list that comes in pages, and the way to its neighbours; nothing for a single page. */
export function Pager({ paging: { page, pageSize, total }, onPage }: PagerProps) {
  const t = useT()
  const { number } = useFormatters()
  const last = Math.max(1, Math.ceil(total / pageSize))
  if (last === 1 && page === 1) return null
  const range = {
    from: number(total === 0 ? 0 : (page - 1) * pageSize + 1),
    to: number(Math.min(total, page * pageSize)),
    total: number(total),
  }
  return (
    <nav className={classes.pager} aria-label={t('common.Pages')}>
      <span role="status">{t('common.Range', range)}</span>
      <ActionIcon
        variant="default"
        aria-label={t('common.PreviousPage')}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <IconChevronLeft size={16} aria-hidden data-flip />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={t('common.NextPage')}
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
      >
        <IconChevronRight size={16} aria-hidden data-flip />
      </ActionIcon>
    </nav>
  )
}
