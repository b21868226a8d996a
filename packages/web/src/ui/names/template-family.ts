import type { TFunction } from '../../i18n/i18n.tsx'

/** What users look for when they look for a template, in the order in which lists show it. */
export const templateFamilies = ['games', 'minecraft', 'steam', 'source', 'bots', 'voice', 'misc'] as const
export type TemplateFamily = (typeof templateFamilies)[number]

const familiesByType: ReadonlyMap<string, TemplateFamily> = new Map([
  ['game', 'games'],
  ['minecraft-java', 'minecraft'],
  ['minecraft-bedrock', 'minecraft'],
  ['steam', 'steam'],
  ['srcds', 'source'],
  ['discord', 'bots'],
  ['voice', 'voice'],
])

/** The family of a template type. Types that are not in the catalog belong to `misc`. */
export function getTemplateFamily(type: string): TemplateFamily {
  return familiesByType.get(type) ?? 'misc'
}

export function familyName(t: TFunction, family: TemplateFamily): string {
  return t(`templates.Family_${family}`)
}
