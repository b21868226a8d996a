import type { Template } from '@innkeeper/contract/definitions/definition'
import { findMissingPrograms } from '@innkeeper/contract/templates/templates'
import { useMemo } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import type { MissingPrograms } from './requirements.ts'

/** Asks the nodes for the programs that a template needs. Empty until they respond. */
export function useMissingPrograms({ name = '', requirements }: Template): MissingPrograms {
  const isNeeded = (requirements?.binaries ?? []).length > 0
  const { data } = useApiQuery(
    findMissingPrograms,
    { params: { name } },
    { enabled: isNeeded && name !== '', staleTime: 60_000 },
  )
  return useMemo(() => new Map(data?.map(({ node, missing }) => [node, missing])), [data])
}
