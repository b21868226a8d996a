import { Skeleton } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { formatRaw, type Raw } from '../../features/definition-editor/raw.ts'
import { useText } from '../../i18n/text.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
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
  const text = useText()
  const isPhone = useIsPhone()
  const held = useTemplate(name)
  const again = () => void held.refetch()
  if (held.error) return <LoadFailure title={text('templates.OneLoadFailed')} error={held.error} again={again} />
  if (held.isPending || held.isFetching) return <Skeleton h={240} radius="lg" aria-label={text('common.Loading')} />

  const before = formatRaw(held.data.raw)
  const after = formatRaw(comparableTo(held.data.raw, offered, name))
  return (
    <>
      {before === after ? (
        <p className={classes.quiet}>{text('templates.NoChanges')}</p>
      ) : (
        <Suspense fallback={<Skeleton h={240} radius="lg" aria-label={text('common.Loading')} />}>
          <CompareView
            key={`${held.data.version} ${isPhone}`}
            theirs={before.split('\n')}
            mine={after.split('\n')}
            name={`${name}.json`}
            isSideBySide={!isPhone}
            labels={{ theirs: text('templates.Here'), mine: text('templates.Offered') }}
          />
        </Suspense>
      )}
      {children(held.data.version)}
    </>
  )
}
