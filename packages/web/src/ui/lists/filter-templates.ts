import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { categoryName } from '../names/category-name.ts'

interface TemplateSummary {
  readonly name: string
  readonly display?: string | undefined
  readonly type: string
}

/** The templates whose name, ID or category contains the query, sorted by name. */
export function filterTemplates<T extends TemplateSummary>(
  t: TFunction,
  { compareNames }: Formatters,
  templates: readonly T[],
  query: string,
): T[] {
  const normalizedQuery = query.trim().toLocaleLowerCase()
  return templates
    .filter(({ name, display = '', type }) =>
      [display, name, type, categoryName(t, type)].join(' ').toLocaleLowerCase().includes(normalizedQuery),
    )
    .sort((a, b) => compareNames(a.display ?? a.name, b.display ?? b.name))
}
