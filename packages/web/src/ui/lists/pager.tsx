import type { Paging } from '@innkeeper/contract/api/paging'
import { Divider, Group, Pagination, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'

interface PagerProps {
  readonly paging: Omit<Paging, 'maxSize'>
  readonly onPage: (page: number) => void
  /** Shown after the range, also for a single page. */
  readonly children?: ReactNode
}

/** The range of a paged list and buttons to its pages. Renders nothing for a single page without children. */
export function Pager({ paging: { page, pageSize, total }, onPage, children }: PagerProps) {
  const t = useT()
  const { number } = useFormatters()
  const pages = Math.max(1, Math.ceil(total / pageSize))
  const isSinglePage = pages === 1 && page === 1
  if (isSinglePage && !children) return null
  const range = {
    from: number(total === 0 ? 0 : (page - 1) * pageSize + 1),
    to: number(Math.min(total, page * pageSize)),
    total: number(total),
  }
  const labels = { previous: t('common.PreviousPage'), next: t('common.NextPage') }
  return (
    <nav aria-label={t('common.Pages')}>
      <Divider />
      <Group gap="xs" px="md" py="sm">
        <Text component="span" role="status" flex={1} variant="note" textWrap="nowrap">
          {t('common.Range', range)}
        </Text>
        {children}
        {!isSinglePage && (
          <Pagination
            size="md"
            total={pages}
            value={page}
            onChange={onPage}
            classNames={{ dots: 'mantine-visible-from-sm' }}
            previousIcon={PreviousIcon}
            nextIcon={NextIcon}
            getItemProps={(item) => ({
              visibleFrom: 'sm',
              'aria-label': t('common.Page', { page: number(item) }),
              children: number(item),
            })}
            getControlProps={(control) => ({ 'aria-label': control === 'previous' ? labels.previous : labels.next })}
          />
        )}
      </Group>
    </nav>
  )
}

const PreviousIcon = () => <IconChevronLeft size={16} aria-hidden data-flip />
const NextIcon = () => <IconChevronRight size={16} aria-hidden data-flip />
