import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { pageSizes, pagesAround } from './rows.ts'
import classes from './servers-screen.module.css'

interface PagesProps {
  readonly page: number
  readonly count: number
  readonly size: number
  readonly onPage: (page: number) => void
  readonly onSize: (size: number) => void
}

export function Pages({ page, count, size, onPage, onSize }: PagesProps) {
  const t = useT()
  const { number } = useFormatters()
  return (
    <nav className={classes.pages} aria-label={t('servers.Pages')}>
      <ActionIcon
        variant="default"
        size={30}
        aria-label={t('servers.PreviousPage')}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <IconChevronLeft size={16} aria-hidden data-flip />
      </ActionIcon>
      {pagesAround(page, count).map((shown, index) =>
        shown === 0 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a gap is known by its place only
          <span key={`gap-${index}`} aria-hidden>
            …
          </span>
        ) : (
          <Button
            key={shown}
            size="xs"
            variant={shown === page ? 'default' : 'subtle'}
            color="gray"
            aria-current={shown === page ? 'page' : undefined}
            aria-label={t('servers.Page', { page: number(shown) })}
            className={classes.pageNumber ?? ''}
            onClick={() => onPage(shown)}
          >
            {number(shown)}
          </Button>
        ),
      )}
      <ActionIcon
        variant="default"
        size={30}
        aria-label={t('servers.NextPage')}
        disabled={page >= count}
        onClick={() => onPage(page + 1)}
      >
        <IconChevronRight size={16} aria-hidden data-flip />
      </ActionIcon>
      <NativeSelect
        size="xs"
        className={`ik-soft ${classes.pageSize}`}
        aria-label={t('servers.PageSize')}
        value={String(size)}
        data={pageSizes.map((choice) => ({
          value: String(choice),
          label: t('servers.PerPage', { size: number(choice) }),
        }))}
        onChange={(event) => onSize(Number(event.currentTarget.value))}
      />
    </nav>
  )
}
