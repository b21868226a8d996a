import { importTemplate, listCatalogue } from '@innkeeper/contract/catalogue'
import { getTemplate, listTemplates } from '@innkeeper/contract/templates'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { requestWithResponse } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { type Condition, headersOf } from './use-template.ts'

/** A template that could not be taken over, and why. */
export interface Failed {
  readonly name: string
  readonly error: unknown
}

/** Takes templates over from the catalogue, one after the other, and tells which of them failed. */
export function useImport() {
  const queries = useQueryClient()
  return useCallback(
    async (names: readonly string[], condition: Condition): Promise<readonly Failed[]> => {
      const failed: Failed[] = []
      for (const name of names) {
        try {
          await requestWithResponse(importTemplate, { params: { name } }, { headers: headersOf(condition) })
        } catch (error) {
          failed.push({ name, error })
        }
      }
      const stale = [listTemplates, listCatalogue, getTemplate]
      await Promise.all(stale.map((call) => queries.invalidateQueries({ queryKey: getQueryKey(call) })))
      return failed
    },
    [queries],
  )
}
