import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type MetricsAccess, metricsFor } from '@innkeeper/contract/settings/metrics-format'
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
    const openMetrics = { contentType: registry.contentType, body: await registry.metrics() }
    const { contentType, body } = metricsFor(headers.accept, openMetrics)
    reply.header('cache-control', 'no-store').header('vary', 'accept').type(contentType)
    return body
  })
}
