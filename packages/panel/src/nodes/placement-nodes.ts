import type { Template } from '@innkeeper/contract/definitions/definition'
import { canRunTemplate } from '@innkeeper/contract/nodes/node-support'
import type { NewPlacement } from '@innkeeper/contract/nodes/placement'
import type { AvailabilityService } from './availability.ts'
import { type NamedNodesDeps, namedNodes } from './named-nodes.ts'
import type { PlacementSettingsService } from './placement-settings.ts'
import type { PortsService } from './ports.ts'
import type { NodeReports } from './reports.ts'

export interface PlacementNodesDeps extends NamedNodesDeps {
  readonly reports: Pick<NodeReports, 'readHealth' | 'readResources'>
  readonly availability: Pick<AvailabilityService, 'read'>
  readonly placementSettings: Pick<PlacementSettingsService, 'read'>
  readonly ports: Pick<PortsService, 'readTaken'>
  /** Throws ErrNoTemplate. */
  readonly getTemplate: (name: string) => Promise<Template>
}

export type PlacementNode = Awaited<ReturnType<typeof readPlacementNodes>>[number]

/** What nodes report that may be chosen, without the reservations. */
export async function readPlacementNodes(
  deps: PlacementNodesDeps,
  { labels, ports: count, template: name }: Pick<NewPlacement, 'labels' | 'ports' | 'template'>,
) {
  const { reports, availability, placementSettings, ports, getTemplate } = deps
  const template = name === undefined ? undefined : await getTemplate(name)
  const nodes = await namedNodes(deps)
  const ids = nodes.map(({ id }) => id)
  const [health, resources] = await Promise.all([reports.readHealth(ids), reports.readResources(ids)])
  const [states, getSettings] = await Promise.all([availability.read(), placementSettings.read()])
  return await Promise.all(
    nodes.map(async ({ id, name }) => {
      const { state, features } = health.get(id) ?? {}
      const settings = getSettings(id)
      const isOnline = (state === 'online' || state === 'degraded') && resources.has(id)
      const availabilityState = states.get(id)?.state ?? 'active'
      const hasLabels = labels.every((label) => settings.labels.includes(label))
      return {
        id,
        name,
        settings,
        resources: resources.get(id),
        hasLabels,
        state: isOnline ? availabilityState : ('offline' as const),
        runsTemplate: template === undefined || canRunTemplate(template, features),
        taken: count > 0 && hasLabels && isOnline ? await ports.readTaken(id) : [],
      }
    }),
  )
}
