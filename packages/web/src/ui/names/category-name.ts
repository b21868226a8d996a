import { findText, type TFunction } from '../../i18n/i18n.tsx'

/** The translated name of a template type; an unknown type is returned unchanged. */
export function categoryName(t: TFunction, type: string): string {
  return findText(t, `templates.Category_${type}`) ?? type
}
