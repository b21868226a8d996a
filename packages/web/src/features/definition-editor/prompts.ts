import { isObject, type JsonObject, setIn } from './json-path.ts'

/** The questions of a definition; what is none is left out. */
export function getPrompts({ prompts }: JsonObject): readonly JsonObject[] {
  return Array.isArray(prompts) ? prompts.filter(isObject) : []
}

export function setPrompts(raw: JsonObject, prompts: readonly JsonObject[]): JsonObject {
  return setIn(raw, ['prompts'], prompts.length === 0 ? undefined : prompts)
}

/** Removes empty patterns, which every line would match. */
export function removeBlankPatterns(raw: JsonObject): JsonObject {
  const prompts = getPrompts(raw)
  if (!prompts.some(({ patterns }) => Array.isArray(patterns) && patterns.includes(''))) return raw
  return setPrompts(raw, prompts.map(withoutBlankPatterns))
}

function withoutBlankPatterns(prompt: JsonObject): JsonObject {
  if (!Array.isArray(prompt.patterns)) return prompt
  const patterns = prompt.patterns.filter((pattern) => pattern !== '')
  return setIn(prompt, ['patterns'], patterns.length === 0 ? undefined : patterns)
}
