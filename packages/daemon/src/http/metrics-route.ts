import type { MetricsAccess } from '@innkeeper/contract/metrics-access'
import { Refusal } from '@innkeeper/contract/refusals'
import type { FastifyInstance } from 'fastify'
import type { OpenMetricsContentType, Registry } from 'prom-client'

interface Deps {
  readonly registry: Registry<OpenMetricsContentType>
  readonly access: MetricsAccess
}

/** Serves the metrics of this process. */
export function registerMetrics(app: FastifyInstance, { registry, access }: Deps): void {
  app.get('/metrics', async ({ ip, headers }, reply) => {
    const verdict = access({ address: ip, authorization: headers.authorization })
    if (verdict === 'hidden') throw new Refusal('ErrNotFound')
    if (verdict === 'unauthorized') throw new Refusal('ErrTokenInvalid')
    reply.header('cache-control', 'no-store').type(registry.contentType)
    return await registry.metrics()
  })
}
