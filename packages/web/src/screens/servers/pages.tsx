import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useFormats, useText } from '../../i18n/text.tsx'
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
  const text = useText()
  const { number } = useFormats()
  return (
    <nav className={classes.pages} aria-label={text('servers.Pages')}>
      <ActionIcon
        variant="default"
        size={30}
        aria-label={text('servers.PreviousPage')}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <IconChevronLeft size={16} aria-hidden data-flip />
      </ActionIcon>
      {pagesAround(page, count).map((shown, at) =>
        shown === 0 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a gap is known by its place only
          <span key={`gap-${at}`} aria-hidden>
            …
          </span>
        ) : (
          <Button
            key={shown}
            size="xs"
            variant={shown === page ? 'default' : 'subtle'}
            color="gray"
            aria-current={shown === page ? 'page' : undefined}
            aria-label={text('servers.Page', { page: number(shown) })}
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
        aria-label={text('servers.NextPage')}
        disabled={page >= count}
        onClick={() => onPage(page + 1)}
      >
        <IconChevronRight size={16} aria-hidden data-flip />
      </ActionIcon>
      <NativeSelect
        size="xs"
        className={`ik-soft ${classes.pageSize}`}
        aria-label={text('servers.PageSize')}
        value={String(size)}
        data={pageSizes.map((choice) => ({
          value: String(choice),
          label: text('servers.PerPage', { size: number(choice) }),
        }))}
        onChange={(event) => onSize(Number(event.currentTarget.value))}
      />
    </nav>
  )
}
