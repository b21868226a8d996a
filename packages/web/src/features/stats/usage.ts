import { useMemo } from 'react'
import { useFormatters } from '../../i18n/i18n.tsx'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { usePreference } from '../../session/preferences.tsx'
import { inUnit, inWindow, leastCpu, leastMemory, type MemoryUnit, scaleFor, summaryOf } from './scale.ts'

/** The unit a person reads memory in, remembered. */
export function useMemoryUnit(): readonly [MemoryUnit, (unit: MemoryUnit) => void] {
  const [unit, setUnit] = usePreference('memoryUnit')
  return [unit === 'MB' ? 'MB' : 'MiB', setUnit]
}

/** What charts and figures show of a history. */
export function useUsage(all: StatsHistory) {
  const { number, percent } = useFormatters()
  const [unit] = useMemoryUnit()

  return useMemo(() => {
    const history = inWindow(all)
    const seen = history.filter((point) => !point.isBlank)
    const last = history.at(-1)
    const cpu = history.map((point) => point.cpu)
    const memory = history.map((point) => inUnit(point.memory, unit))
    return {
      history,
      seen,
      /** Whether the newest point was measured: else there is no value of now. */
      isMeasured: last !== undefined && !last.isBlank,
      unit,
      cpu: {
        values: cpu,
        scale: scaleFor(cpu, leastCpu),
        summary: summaryOf(seen.map((point) => point.cpu)),
        format: (value: number) => percent(value, 2),
        tick: (value: number) => percent(value),
      },
      memory: {
        values: memory,
        scale: scaleFor(memory, leastMemory[unit]),
        summary: summaryOf(seen.map((point) => inUnit(point.memory, unit))),
        format: (value: number) => `${number(value, 2)} ${unit}`,
        tick: (value: number) => number(value),
      },
    }
  }, [all, unit, number, percent])
}
export type Usage = ReturnType<typeof useUsage>
