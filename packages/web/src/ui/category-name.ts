import type { TFunction } from '../i18n/i18n.tsx'

/** The category of templates that a type stands for, in words; a type that we do not know stays as it is. */
export function categoryName(t: TFunction, type: string): string {
  const key = `templates.Category_${type}`
  const name = t(key)
  return name === key ? type : name
}
