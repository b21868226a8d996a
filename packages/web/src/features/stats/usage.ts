import { useMemo } from 'react'
import type { Formatters } from '../../i18n/formatters.ts'
import { useFormatters } from '../../i18n/use-formatters.ts'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { usePreference } from '../../session/preferences.tsx'
import { createScale, getMinAxes, type MemoryUnit, summarize, toUnit, withinWindow } from './chart-data.ts'

/** The preferred memory unit and its setter. */
export function useMemoryUnit(): readonly [MemoryUnit, (unit: MemoryUnit) => void] {
  const [unit, setUnit] = usePreference('memoryUnit')
  return [unit === 'MB' ? 'MB' : 'MiB', setUnit]
}

/** Whether the vertical axes are fitted to the values, and the setter. */
export function useFittedAxes(): readonly [boolean, (isFitted: boolean) => void] {
  const [stored, setStored] = usePreference('statsAxes')
  return [stored === 'fitted', (isFitted) => setStored(isFitted ? 'fitted' : 'full')]
}

/** The formats of CPU and memory values: on the axis, and of a point. */
export function getUsageFormats({ number, percent, inUnit, unitName }: Formatters, unit: MemoryUnit) {
  return {
    cpu: {
      axisUnit: undefined,
      formatTick: (value: number) => percent(value),
      format: (value: number) => percent(value, 2),
    },
    memory: {
      axisUnit: unitName(unit),
      formatTick: (value: number) => number(value),
      format: (value: number) => inUnit(value, unit, { decimals: 2 }),
    },
  }
}

/** The live CPU and memory usage. */
export function useUsage(allPoints: StatsHistory, { isFitted = false }: { readonly isFitted?: boolean } = {}) {
  const formatters = useFormatters()
  const [unit] = useMemoryUnit()

  return useMemo(() => {
    const history = withinWindow(allPoints)
    const measured = history.filter((point) => !point.isBlank)
    const last = history.at(-1)
    const cpu = history.map((point) => point.cpu)
    const memory = history.map((point) => toUnit(point.memory, unit))
    const formats = getUsageFormats(formatters, unit)
    const minAxes = getMinAxes(unit, isFitted)
    return {
      history,
      measured,
      /** Whether the newest point was measured: otherwise there is no current value. */
      isMeasured: last !== undefined && !last.isBlank,
      unit,
      cpu: {
        values: cpu,
        scale: createScale(cpu, minAxes.cpu),
        summary: summarize(measured.map((point) => point.cpu)),
        ...formats.cpu,
      },
      memory: {
        values: memory,
        scale: createScale(memory, minAxes.memory),
        summary: summarize(measured.map((point) => toUnit(point.memory, unit))),
        ...formats.memory,
      },
    }
  }, [allPoints, unit, isFitted, formatters])
}
export type Usage = ReturnType<typeof useUsage>
