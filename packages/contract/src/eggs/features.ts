import type { PromptType } from '../definitions/prompts.ts'

/** The features of an egg by their names without case and separators: those of Pelican are named after classes. */
const types: Readonly<Record<string, PromptType>> = {
  eula: 'eula',
  minecrafteula: 'eula',
  javaversion: 'javaVersion',
  gsltoken: 'gameServerToken',
  pidlimit: 'processLimit',
  steamdiskspace: 'diskSpace',
}

/** The variable that the other panel changes with the answer. */
const tokenVariable = 'STEAM_ACC'

/** Converts the features of an egg, which are questions to users, to prompts. */
export function promptsOfFeatures(
  features: unknown,
  variables: readonly string[],
  drop: (where: string) => void,
): { type: PromptType; variable?: string }[] {
  const names = Array.isArray(features) ? features.filter((name) => typeof name === 'string') : []
  return [...new Set(names)].slice(0, 20).flatMap((name) => {
    const key = name.toLowerCase().replace(/[^a-z]/g, '')
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    if (type === undefined) drop(`features.${name.slice(0, 100)}`)
    if (type === undefined) return []
    return [
      { type, ...(type === 'gameServerToken' && variables.includes(tokenVariable) && { variable: tokenVariable }) },
    ]
  })
}
