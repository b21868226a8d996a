/** Names shown in one console line. */
const maxNames = 5

/** The console line while the processes that the first one left have time to end. */
export function leftUntilText(names: readonly string[], deadline: number): string {
  const seconds = Math.max(1, Math.round((deadline - performance.now()) / 1000))
  return `Still running: ${formatList(names)}. Waiting for them to end, for at most ${seconds} s`
}

/** The console line when that time is over. */
export function killedAfterStopText(names: readonly string[]): string {
  return `Killed what had not ended in the stop time: ${formatList(names)}`
}

const hint = ' If that is the game itself, use its option to stay in the foreground.'

/** The console line when a server ended by itself and left processes. */
export function leftInBackgroundText(names: readonly string[], isNormalExit: boolean): string {
  const [count, object] = names.length === 1 ? ['1 process', 'It was'] : [`${names.length} processes`, 'They were']
  return `The server left ${count} in the background: ${formatList(names)}. ${object} ended with it.${isNormalExit ? hint : ''}`
}

function formatList(names: readonly string[]): string {
  const distinct = [...new Set(names)]
  const rest = distinct.length - maxNames
  return distinct.slice(0, maxNames).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
