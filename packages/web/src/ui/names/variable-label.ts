import { findText, type TFunction } from '../../i18n/i18n.tsx'

/** What a variable is called on screens: its label, in the user's language if a bundled template has it; else its name. */
export function variableLabel(
  t: TFunction,
  name: string,
  { display }: { readonly display?: string | undefined },
): string {
  return display ? translateLabel(t, display) : name
}

/** A label of bundled templates in the user's language. Any other text stays as it is. */
export function translateLabel(t: TFunction, label: string): string {
  // Texts with these are not in the catalog, and i18next would fill them in.
  if (/[{$]/.test(label)) return label
  return findText(t, `variable-labels.${label}`) ?? label
}
