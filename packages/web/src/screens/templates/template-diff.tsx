import { Skeleton, Text } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { formatJson, type JsonObject } from '../../features/definition-editor/json-path.ts'
import { useT } from '../../i18n/i18n.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { toComparable } from './template-file.ts'
import { useTemplate } from './use-template.ts'

const CompareView = lazyView(async () => (await import('../../features/compare/compare-view.tsx')).CompareView)

interface TemplateDiffProps {
  readonly name: string
  readonly incoming: JsonObject
  /** Actions below the diff; they get the version that it shows. */
  readonly children?: (version: string | undefined) => ReactNode
}

/** Compares an installed template with the one that would replace it. */
export function TemplateDiff({ name, incoming, children }: TemplateDiffProps) {
  const t = useT()
  const current = useTemplate(name)
  return (
    <QueryState query={current} errorTitle={t('templates.OneLoadFailed')} skeleton={<DiffSkeleton />}>
      {({ raw, version }) => {
        const before = formatJson(raw)
        const after = formatJson(toComparable(raw, incoming, name))
        return (
          <>
            {before === after ? (
              <Text variant="note">{t('templates.NoChanges')}</Text>
            ) : (
              <Suspense fallback={<DiffSkeleton />}>
                <CompareView
                  key={version}
                  theirs={before.split('\n')}
                  mine={after.split('\n')}
                  name={`${name}.json`}
                  labels={{ theirs: t('templates.Current'), mine: t('templates.Incoming') }}
                />
              </Suspense>
            )}
            {children?.(version)}
          </>
        )
      }}
    </QueryState>
  )
}

export function DiffSkeleton() {
  const t = useT()
  return <Skeleton h={240} radius="lg" aria-label={t('common.Loading')} />
}
