import type { TranslationKey } from '../../i18n/i18n.tsx'

/** Data transfer of a server, in the order of the charts. */
export const trafficTypes = ['diskRead', 'diskWrite', 'networkIn', 'networkOut'] as const
export type TrafficType = (typeof trafficTypes)[number]

export type ChartType = 'cpu' | 'memory' | TrafficType

export const chartNames: Readonly<Record<ChartType, TranslationKey>> = {
  cpu: 'common.Cpu',
  memory: 'common.Memory',
  diskRead: 'stats.DiskRead',
  diskWrite: 'stats.DiskWrite',
  networkIn: 'stats.NetworkIn',
  networkOut: 'stats.NetworkOut',
}

export function chartColor(type: ChartType): string {
  if (type === 'cpu') return 'var(--ik-chart-1)'
  return type === 'memory' ? 'var(--ik-chart-2)' : 'var(--ik-info)'
}
