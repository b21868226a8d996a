import { importTemplate } from '@innkeeper/contract/catalog'
import { useMutation } from '@tanstack/react-query'
import { requestWithResponse } from '../../api/request.ts'
import { toConditionHeaders, useInvalidateTemplates, type WriteCondition } from './use-template.ts'

/** A template that was not imported, and why. */
export interface ImportFailure {
  readonly name: string
  readonly error: unknown
}

interface ImportVariables {
  readonly names: readonly string[]
  readonly condition: WriteCondition
}

/** Imports templates of the catalog one after the other; resolves with those that failed. */
export function useImportTemplates() {
  const invalidate = useInvalidateTemplates()
  return useMutation({
    mutationFn: async ({ names, condition }: ImportVariables): Promise<readonly ImportFailure[]> => {
      const failures: ImportFailure[] = []
      for (const name of names) {
        try {
          await requestWithResponse(importTemplate, { params: { name } }, { headers: toConditionHeaders(condition) })
        } catch (error) {
          failures.push({ name, error })
        }
      }
      return failures
    },
    onSuccess: invalidate,
  })
}
