import type { Text } from '../i18n/text.tsx'

/** The category of templates that a type stands for, in words; a type that we do not know stays as it is. */
export function categoryName(text: Text, type: string): string {
  const key = `templates.Category_${type}`
  const name = text(key)
  return name === key ? type : name
}
