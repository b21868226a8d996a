import type { TFunction } from '../i18n/i18n.tsx'

/** The translated name of a template type; an unknown type is returned unchanged. */
export function categoryName(t: TFunction, type: string): string {
  const key = `templates.Category_${type}`
  const name = t(key)
  return name === key ? type : name
}
