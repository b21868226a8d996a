import { limits } from '@innkeeper/contract/limits'
import * as nodePorts from '@innkeeper/contract/node-ports'
import * as nodePanel from '@innkeeper/contract/node-to-panel'
import * as calls from '@innkeeper/contract/nodes'
import { expectDeletesEveryServer } from '../access/access.ts'
import type { Origin, Serve } from '../access/serve.ts'
import { versionOf } from '../access/versions.ts'
import type { TriesService } from '../auth/tries.ts'
import { type DeleteServers, editablePartOf, type NodeDirectory } from './directory.ts'
import type { EnrolmentService } from './enrolment.ts'
import type { NodesService } from './nodes.ts'
import type { PortsService } from './ports.ts'
import type { SigningKeys } from './signing-keys.ts'

interface Needs {
  readonly nodes: NodesService
  readonly directory: NodeDirectory
  readonly enrolment: EnrolmentService
  readonly tries: Pick<TriesService, 'count'>
  readonly ports: PortsService
  readonly keys: Pick<SigningKeys, 'statements'>
  readonly masterUrl: () => string | undefined
  /** Deletes servers from the panel in the name of a user. */
  readonly deleteServersBy: (userId: number) => DeleteServers
  readonly now: () => number
}

export function nodeRoutes(
  serve: Serve,
  { nodes, directory, enrolment, tries, ports, keys, masterUrl, deleteServersBy, now }: Needs,
): void {
  serve(calls.listNodes, ({ from }) => nodes.list(from))
  serve(calls.getNode, async ({ params, from, versions }) => {
    const node = await nodes.get(params.id, from)
    versions.tell(versionOf(editablePartOf(node)))
    return node
  })
  serve(calls.createNode, async ({ body, from, acting }) => nodes.get((await directory.add(body, acting)).id, from))
  serve(calls.editNode, ({ params, body, versions, acting }) => directory.edit(params.id, body, acting, versions.seen))
  serve(calls.deleteNode, ({ caller, params, query, acting }) => {
    if (!query.force) return directory.remove(params.id, acting)
    expectDeletesEveryServer(caller)
    return directory.remove(params.id, acting, deleteServersBy(caller.userId))
  })
  serve(calls.getNodeFeatures, ({ params }) => nodes.featuresOf(params.id))
  serve(calls.listNodeChoices, ({ from }) => nodes.choices(from))

  serve(nodePorts.getNodePorts, async ({ params, versions }) => {
    const found = await ports.get(params.id)
    versions.tell(versionOf(found.ranges))
    return found
  })
  serve(nodePorts.putNodePorts, ({ params, body, versions, acting }) =>
    ports.put(params.id, body.ranges, acting, versions.seen),
  )
  serve(nodePorts.findFreePorts, ({ params, query }) => ports.free(params.id, query.count))
  serve(nodePorts.checkPort, ({ params, query, caller }) => ports.check(params.id, query, caller))

  const panelUrl = (from: Origin) => masterUrl() ?? `${from.isSecure ? 'https' : 'http'}://${from.host}`
  serve(calls.getNodeDeployment, ({ params, from, acting }) => enrolment.deployment(params.id, panelUrl(from), acting))
  serve(calls.replaceNodeSecret, async ({ params, from, acting }) => {
    await directory.replaceSecret(params.id, acting)
    return enrolment.deployment(params.id, panelUrl(from), acting)
  })
  serve(nodePanel.enrolNode, ({ body, from, acting }) => enrolment.enrol(body, from.address, acting))
  serve(
    nodePanel.reportNode,
    async ({ nodeId, body }) => {
      await nodes.report(nodeId, body)
      return { atMs: now(), keys: await keys.statements() }
    },
    {
      bodyBytes: limits.nodeReportBytes,
      first: ({ nodeId }) => tries.count([{ what: `report of node ${nodeId}`, most: limits.nodeReportsMax }]),
    },
  )
}
