import { isObject, partAt, type Raw, textOfAny, withPart } from './raw.ts'

const commandPath = ['run', 'command']

/** Whether there are commands of which conditions choose one. */
export function isSeveral(raw: Raw): boolean {
  return Array.isArray(partAt(raw, commandPath))
}

export function commandsIn(raw: Raw): readonly Raw[] {
  const commands = partAt(raw, commandPath)
  return Array.isArray(commands) ? commands.filter(isObject) : []
}

/** The one command as the first of several. */
export function withSeveral(raw: Raw): Raw {
  return isSeveral(raw) ? raw : withPart(raw, commandPath, [{ command: textOfAny(partAt(raw, commandPath)) }])
}

/** The command without a condition, else the first, as the only one. */
export function withOneCommand(raw: Raw): Raw {
  if (!isSeveral(raw)) return raw
  const commands = commandsIn(raw)
  const kept = commands.find((entry) => !entry.if) ?? commands[0]
  return withPart(raw, commandPath, textOfAny(kept?.command))
}
