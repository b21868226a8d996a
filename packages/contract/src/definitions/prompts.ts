import { z } from 'zod/mini'
import { patternProblem } from '../text/pattern.ts'
import { type Definition, getEnvironment } from './definition.ts'
import { getDockerFields, variablesIn } from './docker.ts'
import { getVariableType } from './variables.ts'

/**
 * Questions to users after a line of a server's output, for example to accept a license. Each type with the patterns of
 * its lines: texts of games, Java and SteamCMD.
 */
export const prompts = {
  /** Answered by the file `eula.txt`. */
  eula: ['(?i)you need to agree to the eula in order to run the server'],
  /** Answered by another image. */
  javaVersion: [
    '(?i)unsupported major\\.minor version|unsupportedclassversionerror|unsupported java detected',
    '(?i)requires running the server with java \\d+ or above|compiled by a more recent version of the java runtime',
  ],
  /** Answered by a token of a Steam game server. */
  gameServerToken: ['(?i)\\(gsl token expired\\)|\\(account not found\\)'],
  processLimit: [
    '(?i)pthread_create failed|(?:failed|unable) to create (?:new )?(?:native )?thread',
    '(?i)exception in thread "craft async scheduler management thread"',
  ],
  diskSpace: ['(?i)steamcmd needs \\d+ ?mb of free disk space to update|0x202 after update job'],
} as const satisfies Record<string, readonly string[]>

export type PromptType = keyof typeof prompts
export const promptTypes = Object.keys(prompts) as PromptType[]

const Prompt = z.looseObject({
  type: z.enum(promptTypes),
  /** Replaces the patterns of the type. */
  patterns: z.nullish(z.array(z.string())),
  /** The variable that answers the question. */
  variable: z.nullish(z.string()),
})

/** A prompt of a definition. */
export interface PromptRule {
  readonly type: PromptType
  readonly patterns: readonly string[]
  readonly variable: string | undefined
}

const maxPrompts = 20

/** The prompts of a definition; those of an unknown type, and empty and invalid patterns, are left out. */
export function getPrompts(definition: Definition): readonly PromptRule[] {
  const list: readonly unknown[] = Array.isArray(definition.prompts) ? definition.prompts : []
  return list.slice(0, maxPrompts).flatMap((raw) => {
    const { success, data } = Prompt.safeParse(raw)
    if (!success) return []
    // Every line matches an empty pattern.
    const patterns = (data.patterns ?? prompts[data.type]).filter(
      (text) => text !== '' && patternProblem(text) === undefined,
    )
    return [{ type: data.type, patterns, variable: data.variable ?? imageVariable(definition, data.type) }]
  })
}

/** Returns why a pattern of the prompts is not valid; `undefined` when all are. */
export function problemOfPrompts({ prompts: list }: Definition): string | undefined {
  const raw: readonly unknown[] = Array.isArray(list) ? list : []
  return raw
    .flatMap((prompt) => Prompt.safeParse(prompt).data?.patterns ?? [])
    .map(patternProblem)
    .find((problem) => problem !== undefined)
}

/** The choice of the image, which decides the version of Java. */
function imageVariable(definition: Definition, type: PromptType): string | undefined {
  if (type !== 'javaVersion') return undefined
  const names = variablesIn(getDockerFields(getEnvironment(definition)).image)
  return names.find((name) => {
    const variable = Object.hasOwn(definition.data, name) ? definition.data[name] : undefined
    return variable !== undefined && getVariableType(variable) === 'option'
  })
}
