import { getIn, isObject, type JsonObject, setIn, toText } from './json-path.ts'

const commandPath = ['run', 'command']

/** Whether the definition has several commands with conditions. */
export function isConditional(raw: JsonObject): boolean {
  return Array.isArray(getIn(raw, commandPath))
}

export function getCommands(raw: JsonObject): readonly JsonObject[] {
  const commands = getIn(raw, commandPath)
  return Array.isArray(commands) ? commands.filter(isObject) : []
}

/** Makes the single command the first of several. */
export function toConditional(raw: JsonObject): JsonObject {
  return isConditional(raw) ? raw : setIn(raw, commandPath, [{ command: toText(getIn(raw, commandPath)) }])
}

/** Keeps the command without a condition, or the first one. */
export function toSingleCommand(raw: JsonObject): JsonObject {
  if (!isConditional(raw)) return raw
  const commands = getCommands(raw)
  const kept = commands.find((entry) => !entry.if) ?? commands[0]
  return setIn(raw, commandPath, toText(kept?.command))
}
