import { queryOptions } from '@tanstack/react-query'

/** Loads the sections of all pages, once. */
export const loadDocsSections = queryOptions({
  queryKey: ['docs', 'sections'],
  queryFn: async () => (await import('./docs-search.ts')).docsSections,
  staleTime: Number.POSITIVE_INFINITY,
})
