import * as calls from '@innkeeper/contract/nodes'
import type { Serve } from '../access/serve.ts'
import type { NodesService } from './nodes.ts'

export function nodeRoutes(serve: Serve, nodes: NodesService): void {
  serve(calls.listNodes, ({ from }) => nodes.list(from))
  serve(calls.getNodeFeatures, ({ params }) => nodes.featuresOf(params.id))
  serve(calls.listNodeChoices, ({ from }) => nodes.choices(from))
}
