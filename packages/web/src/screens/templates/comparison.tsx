import { Skeleton } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { formatRaw, type Raw } from '../../features/definition-editor/raw.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import classes from './import.module.css'
import { comparableTo } from './template-file.ts'
import { useTemplate } from './use-template.ts'

const CompareView = lazyView(async () => (await import('../../features/file-editor/compare-view.tsx')).CompareView)

interface ComparisonProps {
  readonly name: string
  readonly offered: Raw
  /** What can be done now that the version that is here was seen. */
  readonly children: (version: string | undefined) => ReactNode
}

/** What a template that is here would become. */
export function Comparison({ name, offered, children }: ComparisonProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const held = useTemplate(name)
  const retry = () => void held.refetch()
  if (held.error) return <QueryError title={t('templates.OneLoadFailed')} error={held.error} retry={retry} />
  if (held.isPending || held.isFetching) return <Skeleton h={240} radius="lg" aria-label={t('common.Loading')} />

  const before = formatRaw(held.data.raw)
  const after = formatRaw(comparableTo(held.data.raw, offered, name))
  return (
    <>
      {before === after ? (
        <p className={classes.quiet}>{t('templates.NoChanges')}</p>
      ) : (
        <Suspense fallback={<Skeleton h={240} radius="lg" aria-label={t('common.Loading')} />}>
          <CompareView
            key={`${held.data.version} ${isPhone}`}
            theirs={before.split('\n')}
            mine={after.split('\n')}
            name={`${name}.json`}
            isSideBySide={!isPhone}
            labels={{ theirs: t('templates.Here'), mine: t('templates.Offered') }}
          />
        </Suspense>
      )}
      {children(held.data.version)}
    </>
  )
}
